import GRDB
import GRDBSQLite
import Synchronization
import Testing

@testable import MirrorStore

/// What every run does, changed or not, must cost what the run is about, not what the mirror has been through.
@Suite("Cost of a long history")
struct LogCostTests {
    private let test: TestStore
    private let steps = StepCounter()

    init() throws { test = try TestStore() }

    @Test func whatARunCountsAndForgetsIsItsOwnPartOfTheLog() throws {
        let (short, long) = try (cost(ofRunBehind: 10), cost(ofRunBehind: 3_000))
        #expect(short > 0)
        #expect(long < short + 50)
    }

    /// - Returns: SQLite's steps in a run that changes nothing, so many changes of an earlier one before it.
    private func cost(ofRunBehind changes: Int) throws -> Int {
        let earlier = try test.beginRun()
        try test.store.pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO change (run, at, kind, id, action) SELECT ?, ?, 'artist', i, 'create' FROM n
                    """, arguments: [changes, earlier, test.pass()])
        }
        let run = try test.beginRun()
        return try counted {
            let counts = try test.store.changeCounts(run: run)
            #expect(counts.isEmpty)
            try test.store.trimHistory(olderThan: "2000-01-01T00:00:00.000Z")
        }
    }

    @Test func whetherAlbumsWereEditedIsAskedOfTheEditsAlone() throws {
        let run = try test.beginRun()
        let ids = (0..<2_000).map { "\($0)" }
        for id in ids { try test.put(.make(.artwork, id), run: run) }
        try test.put(.make(.album, "m"), run: run)
        _ = try test.members(Owner(.album, "m"), ids, run: run)
        _ = try test.finish(run)
        #expect(try test.store.members(of: Owner(.album, "m")).count == 2_000)
        let asked = try counted {
            let pending = try test.store.pendingAlbums()
            #expect(pending.isEmpty)
        }
        #expect(asked > 0 && asked < 100)
        #expect(try test.store.editAlbum("m", artwork: "7", present: false))
        #expect(try test.store.pendingAlbums().map(\.removed) == [["7"]])
    }

    private func counted(_ work: () throws -> Void) throws -> Int {
        test.store.pool.writeWithoutTransaction { steps.install(in: $0) }
        try test.store.pool.unsafeRead { steps.install(in: $0) }
        steps.count.store(0, ordering: .relaxed)
        try work()
        return steps.count.load(ordering: .relaxed)
    }

    private final class StepCounter: Sendable {
        let count = Atomic(0)

        /// Counts the connection's steps from now on; it must outlive it.
        func install(in db: Database) {
            sqlite3_progress_handler(
                db.sqliteConnection, 1,
                { context in
                    guard let context else { return 0 }
                    let counter = Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue()
                    counter.count.add(1, ordering: .relaxed)
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
}
