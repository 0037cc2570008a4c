import Catalogue
import Foundation
import GRDB
import Synchronization
import Testing

@testable import MirrorStore

@Suite("Observing commits to a mirror", .timeLimit(.minutes(5)))
struct CommittedChangesTests {
    private let test: TestStore
    /// The app's store. All writes use other connections.
    private let app: CatalogueStore

    init() throws {
        test = try TestStore()
        app = try test.folder.store()
    }

    private typealias Step = @Sendable () throws -> Void

    /// Replaces waiting: each wait runs the next step, and the wait after the last step cancels the task.
    private final class Script: Sendable {
        private let steps: Mutex<[Step]>
        private let count = Mutex(0)

        init(_ steps: [Step]) { self.steps = Mutex(steps) }

        var waits: Int { count.withLock { $0 } }

        @Sendable func sleep(_ duration: Duration) async throws {
            count.withLock { $0 += 1 }
            guard let step = steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                throw CancellationError()
            }
            try step()
        }
    }

    /// Runs a script, and returns all elements of the sequence.
    private func follow(
        from position: ChangePosition? = nil, limit: Int = 500, _ script: Script
    ) async throws -> [CommittedChanges] {
        var found: [CommittedChanges] = []
        let changes = try app.changes(after: position, every: .seconds(1), limit: limit, sleep: script.sleep)
        for try await commit in changes { found.append(commit) }
        return found
    }

    private func writing(_ records: ObjectRecord..., run: Int64?) -> Step {
        { [store = test.store] in _ = try store.apply(records.map { .object($0) }, run: run) }
    }

    @Test func aCommitByAnotherConnectionYieldsEachChangedObject() async throws {
        let run = try test.beginRun()
        let script = Script([
            writing(.make(.artist, "x"), .make(.artwork, "a"), run: run), {},
            writing(.make(.artist, "x", name: "Another"), run: nil),
        ])
        let found = try await follow(script)
        #expect(
            found.map(\.changes) == [
                [
                    CommittedChange(kind: .artist, id: "x", owner: nil, action: .create, run: run),
                    CommittedChange(kind: .artwork, id: "a", owner: nil, action: .create, run: run),
                ], [CommittedChange(kind: .artist, id: "x", owner: nil, action: .update, run: nil)],
            ])
        #expect(found.allSatisfy { !$0.isGap } && script.waits == 4)
        #expect(try found.last?.position == app.changePosition())
        try app.close()
    }

    @Test func aCommitWithoutLoggedChangesYieldsAnElementWithoutChanges() async throws {
        try test.put(.make(.artist, "x"), run: test.beginRun())
        let found = try await follow(
            Script([{ [store = test.store] in _ = try store.addNote("Here", to: .artist, "x") }]))
        #expect(found.map(\.changes) == [[]])
        #expect(found.first?.isGap == false)
        try app.close()
    }

    @Test func changesBeyondTheLimitFollowInTheNextElementWithoutAWait() async throws {
        let records = (1...5).map { ObjectRecord.make(.artist, "\($0)") }
        let script = Script([
            { [store = test.store] in _ = try store.apply(records.map { .object($0) }, run: nil) }
        ])
        let found = try await follow(limit: 2, script)
        #expect(found.map { $0.changes.map(\.id) } == [["1", "2"], ["3", "4"], ["5"]])
        #expect(script.waits == 2)
        try app.close()
    }

    @Test func aFullElementOfChangesIsNotFollowedByAnEmptyOne() async throws {
        let script = Script([
            writing(.make(.artist, "1"), .make(.artist, "2"), run: nil), {},
            { [store = test.store] in _ = try store.addNote("Here", to: .artist, "1") },
        ])
        let found = try await follow(limit: 2, script)
        #expect(found.map(\.changes.count) == [2, 0], "the note is a separate commit")
        try app.close()
    }

    @Test func observingCommitsContinuesFromAStoredPosition() async throws {
        let kept = try app.changePosition().rawValue
        try writing(.make(.artist, "x"), run: nil)()
        let position = try #require(ChangePosition(rawValue: kept))
        let found = try await follow(from: position, Script([]))
        #expect(found.map { $0.changes.map(\.id) } == [["x"]])
        #expect(try await follow(from: app.changePosition(), Script([])).isEmpty)
        #expect(ChangePosition(rawValue: "nonsense") == nil)
        try app.close()
    }

    @Test func aPositionThatTheLogDoesNotReachYieldsAGap() async throws {
        let first = try app.changePosition()
        try writing(.make(.artist, "x"), run: nil)()
        let other = try #require(ChangePosition(rawValue: "other-1-0"))
        let script = Script([writing(.make(.artist, "y"), run: nil)])
        let found = try await follow(from: other, script)
        #expect(found.map(\.isGap) == [true, false])
        #expect(
            found.map { $0.changes.map(\.id) } == [[], ["y"]], "the sequence continues at the end of the log")
        try test.store.trimHistory(olderThan: test.pass())
        #expect(try await follow(from: first, Script([])).map(\.isGap) == [true])
        try app.close()
    }

    @Test func theChangeSequenceEndsWhenTheStoreIsClosed() async throws {
        let found = try await follow(
            Script([{ [app] in try app.close() }, writing(.make(.artist, "x"), run: nil)]))
        #expect(found.isEmpty)
        let error = #expect(throws: StoreError.self) { try app.changes() }
        #expect(error?.code == .closed)
    }

    @Test func theChangeSequenceEndsWhenItsTaskIsCancelled() async throws {
        let changes = try app.changes(every: .seconds(3_600))
        let task = Task { for try await _ in changes {} }
        task.cancel()
        try await task.value
        try app.close()
    }

    @Test func theChangeSequenceFailsIfTheFileWasReplaced() async throws {
        let path = test.folder.database
        let error = await #expect(throws: StoreError.self) {
            try await follow(
                Script([{ try FileManager.default.moveItem(atPath: path, toPath: path + ".old") }]))
        }
        #expect(error?.code == .changed && error?.message.contains("Open the mirror again") == true)
        try app.close()
    }

    @Test func theChangeSequenceOfALocklessReaderFailsWhenAProgramStartsToWrite() async throws {
        try app.close()
        try test.store.close()
        let path = test.folder.database
        // SQLite's shell leaves the folder like this.
        for file in [path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
        let reader = try CatalogueStore.open(at: path, reading: ReadingFile(path, mayWrite: false))
        let writer = Mutex<CatalogueStore?>(nil)
        let changes = try reader.changes { _ in
            let store = try CatalogueStore.open(at: path)
            try store.setOrigin("http://origin.test")
            writer.withLock { $0 = store }
        }
        let error = await #expect(throws: StoreError.self) { for try await _ in changes {} }
        #expect(error?.code == .changed && !reader.isCurrent)
        try writer.withLock { try $0?.close() }
        try reader.close()
    }
}
