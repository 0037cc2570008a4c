import Catalogue
import GRDB
import GRDBSQLite
import Synchronization
import Testing

@testable import MirrorStore

/// The cost of upkeep depends on the changes of the run, not on the size of the mirror or of its history.
@Suite("Cost of a run that changes little")
struct UpkeepCostTests {
    private let test: TestStore
    private let steps = StepCounter()

    init() throws { test = try TestStore() }

    @Test func countingTheChangesOfARunDoesNotReadEarlierChanges() throws {
        let (short, long) = try (cost(ofRunAfter: 10), cost(ofRunAfter: 3_000))
        #expect(short > 0)
        #expect(long < short + 50)
    }

    /// The cost of a run without changes that follows a run with a number of changes.
    ///
    /// - Returns: the number of steps of SQLite's virtual machine.
    private func cost(ofRunAfter changes: Int) throws -> Int {
        let earlier = try test.beginRun()
        try test.store.pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO change (run, at, kind, id, action) SELECT ?, ?, 'artist', i, 'create' FROM n
                    """, arguments: [changes, earlier, test.pass()])
        }
        let run = try test.beginRun()
        return try sqliteSteps {
            let counts = try test.store.changeCounts(run: run)
            #expect(counts.isEmpty)
            try test.store.trimHistory(olderThan: "2000-01-01T00:00:00.000Z")
        }
    }

    @Test func findingPendingAlbumEditsDoesNotReadUneditedArtworks() throws {
        let run = try test.beginRun()
        let ids = (0..<2_000).map { "\($0)" }
        for id in ids { try test.put(.make(.artwork, id), run: run) }
        try test.put(.make(.album, "m"), run: run)
        _ = try test.members(Owner(.album, "m"), ids, run: run)
        _ = try test.finish(run)
        #expect(try test.store.members(of: Owner(.album, "m")).count == 2_000)
        let idle = try sqliteSteps {
            let (pending, edits) = try (test.store.pendingAlbums(), test.store.pendingEdits())
            #expect(pending.isEmpty && edits == (0, 0))
            let refused = try test.store.refusedEdits()
            #expect(refused.isEmpty)
        }
        #expect(idle > 0 && idle < 200)
        #expect(try test.store.editAlbum("m", artwork: "7", present: false, newKey: { "key" }))
        #expect(try test.store.pendingAlbums().map(\.removed) == [["7"]])
    }

    @Test func collectingFilesChecksOnlyThoseThatLostAReference() throws {
        let run = try test.beginRun()
        let pictures = (0..<600).map { "\($0)" }
        try test.put(.make(.artwork, "a", images: pictures), run: run)
        _ = try test.store.apply(pictures.map { .file(picture($0)) }, run: run)
        _ = try test.store.collectFiles(in: test.folder.files)
        let idle = try sqliteSteps { _ = try test.store.collectFiles(in: test.folder.files) }
        #expect(idle > 0 && idle < 100)
        try test.put(.make(.artwork, "a", name: "again", images: Array(pictures.dropFirst(3))), run: run)
        let released = try sqliteSteps { _ = try test.store.collectFiles(in: test.folder.files) }
        #expect(released < idle + 1_000)
        #expect(try test.scalar("SELECT count(*) FROM file WHERE released_at IS NOT NULL") == 3)
    }

    @Test func findingMissingPicturesDoesNotReadThoseWithFiles() throws {
        func cost(of pictures: Int) throws -> Int {
            let test = try TestStore(), list = TestStore.listName(.artwork), run = try test.beginRun()
            let ids = (0..<pictures).map { "\($0)" }
            try test.put(.make(.artwork, "a", images: ids), run: run)
            _ = try test.store.apply(ids.map { .file(picture($0)) }, run: run)
            try test.list(.artwork, ["a"], run: run, etag: "e")
            var request = FinishRequest(run: run)
            (request.formats, request.clean) = ("square", [list.url])
            let steps = try sqliteSteps(in: test) { _ = try test.store.finish(request) }
            #expect(try test.scalar("SELECT clean_etag FROM list WHERE name = 'artworks'") == "e")
            return steps
        }
        let (few, many) = try (cost(of: 10), cost(of: 1_500))
        #expect(few > 0 && many < few + 3_000)
    }

    @Test func findingTheLastCompleteRunDoesNotReadEarlierRuns() throws {
        func cost(after runs: Int) throws -> Int {
            try test.store.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                        INSERT INTO sync_log (command, started_at, ended_at, outcome)
                        SELECT 'sync', ?, ?, 'complete' FROM n
                        """, arguments: [runs, test.pass(), test.pass()])
            }
            return try sqliteSteps { _ = try test.store.lastRun(outcome: "complete") }
        }
        let (few, many) = try (cost(after: 10), cost(after: 2_000))
        #expect(few > 0 && many < few + 50)
    }

    private func picture(_ id: String) -> FileRecord {
        FileRecord(
            .image(id, format: "square", role: .picture, of: Owner(.artwork, "a")), entry: "e",
            file: StoredFile(hash: "h\(id)", size: 1, path: "media/h\(id)", type: nil), etag: nil,
            lastModified: nil)
    }

    @Test func updatingADigestReadsOnlyWhatChanged() throws {
        let source = ArtistsByNumber()
        let run = try test.beginRun()
        func cost(of number: Int) throws -> Int {
            try test.put(.make(.artist, "\(number)", name: "again"), run: run)
            return try sqliteSteps { _ = try test.store.digest(.root, from: source) }
        }
        try test.put(.make(.artist, "0"), run: run)
        for number in 1..<40 { try test.put(.make(.artist, "\(number)"), run: run) }
        _ = try test.store.digest(.root, from: source)
        let few = try cost(of: 7)
        for number in 40..<1_500 { try test.put(.make(.artist, "\(number)"), run: run) }
        _ = try test.store.digest(.root, from: source)
        let many = try cost(of: 8)
        #expect(few > 0 && many < 2 * few)
    }

    /// A digest in which each artist has a leaf of its own and one for a list.
    private struct ArtistsByNumber: DigestSource {
        let side = DigestSide.served

        func url(of owner: Owner) -> String? { owner.kind == .artist ? "/artist/\(owner.id)" : nil }

        func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves {
            guard let url = url(of: owner) else { return OwnedLeaves() }
            let json: String? = try String.fetchOne(
                reader.db.cachedStatement(sql: "SELECT json FROM artist WHERE id = ?"), arguments: [owner.id])
            return OwnedLeaves(
                own: DigestLeaf(url: url, etag: json ?? ""),
                under: [DigestLeaf(url: "\(url)/documents", etag: "")])
        }

        func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws {
            for id in try String.fetchAll(reader.db, sql: "SELECT id FROM artist") {
                try body(Owner(.artist, id), try leaves(of: Owner(.artist, id), in: reader))
            }
        }
    }

    /// The number of steps of SQLite's virtual machine during `work`.
    private func sqliteSteps(in other: TestStore? = nil, _ work: () throws -> Void) throws -> Int {
        let pool = (other ?? test).store.pool
        pool.writeWithoutTransaction { steps.install(in: $0) }
        try pool.unsafeRead { steps.install(in: $0) }
        steps.count.store(0, ordering: .relaxed)
        try work()
        return steps.count.load(ordering: .relaxed)
    }

    private final class StepCounter: Sendable {
        let count = Atomic(0)

        /// Counts the steps of a connection from now on. The counter must outlive the connection.
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
