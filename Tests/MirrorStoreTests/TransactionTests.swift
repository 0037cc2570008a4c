import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// Transactions of a store, and stores that share their connections.
@Suite("Transactions of a store") struct TransactionTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private struct BodyFailed: Error {}

    private func names() throws -> [String] {
        try test.store.read {
            try String.fetchAll($0, sql: "SELECT key FROM meta WHERE key LIKE 'x%' ORDER BY 1")
        }
    }

    private func put(_ key: String, in db: Database) throws {
        try db.execute(sql: "INSERT INTO meta (key, value) VALUES (?, 1)", arguments: [key])
    }

    @Test func anErrorInTheBodyRollsTheTransactionBack() throws {
        #expect(throws: BodyFailed.self) {
            try test.store.write { db in
                try put("x1", in: db)
                throw BodyFailed()
            }
        }
        #expect(try names() == [])
        try test.store.write { try put("x2", in: $0) }
        try test.store.writeDurably { try put("x3", in: $0) }
        #expect(try names() == ["x2", "x3"])
    }

    @Test func aTransactionThatSQLiteRolledBackIsReportedAndTheNextSucceeds() throws {
        let methods: [((Database) throws -> Void) throws -> Void] = [
            { try test.store.write($0) }, { try test.store.writeDurably($0) },
            { try test.store.write(isServed: false, $0) },
        ]
        for write in methods {
            let error = #expect(throws: StoreError.self) {
                try write { db in
                    try put("x1", in: db)
                    // SQLite rolls back like this when the disk is full. The body continues anyway.
                    try db.rollback()
                    try put("x2", in: db)
                    try db.execute(sql: "DELETE FROM meta WHERE key = 'x2'")
                }
            }
            #expect(error?.message == StoreError.rolledBack.message)
            #expect(try names() == [])
            try write { try put("x3", in: $0) }
            try write { try $0.execute(sql: "DELETE FROM meta WHERE key = 'x3'") }
        }
    }

    /// A foreign key that is violated at the end of the transaction prevents the commit.
    @Test func aTransactionThatCannotBeCommittedIsRolledBack() throws {
        #expect(throws: StoreError.self) {
            try test.store.write { db in
                try put("x1", in: db)
                try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                try db.execute(
                    sql: "INSERT INTO artwork_artist (artwork_id, artist_id, position) VALUES ('no', 'no', 0)"
                )
            }
        }
        #expect(try names() == [])
        try test.store.write { try put("x2", in: $0) }
        #expect(try names() == ["x2"])
    }

    @Test func theDatabaseFileOfAClosedStoreIsCompleteWithoutItsLog() throws {
        let copy = test.store.path + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try test.store.write { try put("x1", in: $0) }
        try test.store.close()
        try FileManager.default.copyItem(atPath: test.store.path, toPath: copy)
        let names = try DatabaseQueue(path: copy).read {
            try String.fetchAll($0, sql: "SELECT key FROM meta WHERE key LIKE 'x%'")
        }
        #expect(names == ["x1"])
    }

    @Test func closingAStoreWithSharedConnectionsLeavesTheirOwnerOpen() throws {
        let sharing = test.store.sharingConnections()
        try sharing.write { try put("x1", in: $0) }
        #expect(try names() == ["x1"])
        try sharing.close()
        try test.store.write { try put("x2", in: $0) }
        #expect(try names() == ["x1", "x2"])
        try test.store.checkIsInPlace()
    }

    /// The store was made by ``CatalogueStore/sharingConnections()`` after the file was moved. It still writes to
    /// the file that the other one has open.
    @Test func aStoreWithSharedConnectionsDetectsThatItsFileWasMoved() throws {
        try FileManager.default.moveItem(atPath: test.store.path, toPath: test.store.path + ".away")
        #expect(FileManager.default.createFile(atPath: test.store.path, contents: nil))
        let sharing = test.store.sharingConnections()
        #expect(throws: StoreError.self) { try sharing.checkIsInPlace() }
        try sharing.close()
    }

    @Test func readsInsideAnotherSeeTheSameInstant() throws {
        let other = try CatalogueStore.open(at: test.store.path, reading: nil)
        defer { try? other.close() }
        try test.store.atOneInstant {
            #expect(try names() == [])
            try other.write { try put("x1", in: $0) }
            #expect(try names() == [])
            #expect(throws: BodyFailed.self) { try test.store.read { _ in throw BodyFailed() } }
            #expect(try names() == [], "an error inside doesn't end the transaction around it")
        }
        #expect(try names() == ["x1"])
        #expect(throws: BodyFailed.self) { try test.store.atOneInstant { throw BodyFailed() } }
        try other.write { try put("x2", in: $0) }
        #expect(try names() == ["x1", "x2"])
    }

    @Test func aReadInsideAWriteSeesItsChanges() throws {
        try test.store.write { db in
            try put("x1", in: db)
            #expect(try names() == ["x1"])
        }
    }
}
