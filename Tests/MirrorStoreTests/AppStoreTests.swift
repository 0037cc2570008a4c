import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

@Suite("Stores opened by an app", .timeLimit(.minutes(5))) struct AppStoreTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    /// Counts the transactions in which GRDB was notified of changes.
    private final class Observer: TransactionObserver {
        private var isChanged = false
        private(set) var count = 0

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange() { isChanged = true }
        func databaseDidChange(with event: DatabaseEvent) { isChanged = true }
        func databaseDidCommit(_ db: Database) {
            if isChanged { count += 1 }
            isChanged = false
        }
        func databaseDidRollback(_ db: Database) { isChanged = false }
    }

    @Test func aSecondStoreSeesTheCommitsOfTheFirst() throws {
        let app = try test.folder.store()
        try test.put(.make(.artist, "x"), run: test.beginRun())
        #expect(try app.fetchAll(Artist.self).map(\.id) == ["x"])
        #expect(app.isCurrent)
        try app.close()
    }

    @Test func openingAMissingMirrorFailsAndCreatesNothing() throws {
        let folder = try MirrorHome(path: test.folder.path).mirror("none")
        for editing in [false, true] {
            let error = #expect(throws: StoreError.self) { try folder.store(editing: editing) }
            #expect(error?.code == .noSuchMirror)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func aClosedStoreThrowsAClosedError() throws {
        let app = try test.folder.store()
        let reader = app.reader
        try app.close()
        try app.close()
        for access in [{ _ = try app.fetchAll(Artist.self) }, { _ = try app.addNote("x", to: .artist, "x") }]
        {
            let error = #expect(throws: StoreError.self) { try access() }
            #expect(error?.code == .closed && error?.message.contains("Open the mirror again") == true)
        }
        let error = #expect(throws: DatabaseError.self) {
            try reader.read { try Int.fetchOne($0, sql: "SELECT 1") }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(try test.store.fetchAll(Artist.self).isEmpty, "other stores stay open")
    }

    @Test func closingAStoreDoesNotWaitForAnotherStoresTransaction() throws {
        let app = try test.folder.store()
        let time = try ContinuousClock().measure {
            try test.store.write { db in
                try db.execute(sql: "INSERT INTO artist (id) VALUES ('x')")
                try app.close()
            }
        }
        #expect(time < .seconds(5), "a store that waits would wait for 10 seconds")
        #expect(try test.scalar("SELECT count(*) FROM artist") == 1)
    }

    @Test func theLastStoreToCloseMovesTheWriteAheadLogIntoTheFile() throws {
        let app = try test.folder.store(editing: true)
        try test.put(.make(.artist, "x"), run: test.beginRun())
        try test.store.close(folding: false)
        #expect(try app.fetchAll(Artist.self).count == 1)
        try app.close()
        let log = try? FileManager.default.attributesOfItem(atPath: test.folder.database + "-wal")[.size]
        #expect((log as? NSNumber)?.int64Value ?? 0 == 0)
    }

    @Test func theReaderOfAStoreCannotWrite() throws {
        try test.put(.make(.artist, "x"), run: test.beginRun())
        let app = try test.folder.store()
        #expect(try app.reader.read { try String.fetchAll($0, sql: "SELECT id FROM artist") } == ["x"])
        #expect(throws: DatabaseError.self) {
            try app.reader.read { try $0.execute(sql: "DELETE FROM artist") }
        }
        #expect((app.reader as? any DatabaseWriter) == nil)
        #expect(try app.fetchAll(Artist.self).count == 1)
        try app.close()
    }

    @Test func notifyingObserversReportsCommitsOfOtherConnections() throws {
        let app = try test.folder.store()
        let observer = Observer()
        app.pool.add(transactionObserver: observer, extent: .databaseLifetime)
        let generation = try app.generation()
        try app.notifyObservations()
        #expect(observer.count == 1)
        #expect(try app.generation() == generation, "notifying writes nothing")
        try test.put(.make(.artist, "x"), run: test.beginRun())
        #expect(observer.count == 1, "GRDB doesn't notice another connection's commit")
        try app.notifyObservations()
        #expect(observer.count == 2)
        try app.close()
    }

    @Test func notifyingObserversDoesNotWaitForAnotherStoresTransaction() throws {
        let app = try test.folder.store()
        let observer = Observer()
        app.pool.add(transactionObserver: observer, extent: .databaseLifetime)
        try test.store.write { db in
            try db.execute(sql: "INSERT INTO artist (id) VALUES ('x')")
            try app.notifyObservations()
        }
        #expect(observer.count == 1)
        try app.close()
    }

    @Test func aValueObservationYieldsValuesCommittedByAnotherStore() async throws {
        let app = try test.folder.store(), run = try test.beginRun()
        let counts = ValueObservation.tracking {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM artist") ?? 0
        }
        var seen = Set<Int>()
        for try await count in counts.values(in: app.reader) where seen.insert(count).inserted {
            if count == 3 { break }
            try test.put(.make(.artist, "\(count)"), run: run)
            try app.notifyObservations()
        }
        #expect(seen == [0, 1, 2, 3])
        try app.close()
    }
}
