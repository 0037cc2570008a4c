import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// Transactions of a store, and stores that share their connections.
struct TransactionTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private struct Refusal: Error {}

    private func names() throws -> [String] {
        try test.store.read {
            try String.fetchAll($0, sql: "SELECT key FROM meta WHERE key LIKE 'x%' ORDER BY 1")
        }
    }

    private func put(_ key: String, in db: Database) throws {
        try db.execute(sql: "INSERT INTO meta (key, value) VALUES (?, 1)", arguments: [key])
    }

    @Test func whatABodyThrowsTakesAllOfItBack() throws {
        #expect(throws: Refusal.self) {
            try test.store.write { db in
                try put("x1", in: db)
                throw Refusal()
            }
        }
        #expect(try names() == [])
        try test.store.write { try put("x2", in: $0) }
        try test.store.writeDurably { try put("x3", in: $0) }
        #expect(try names() == ["x2", "x3"])
    }

    @Test func oneThatSQLiteTookBackIsToldAsSuchAndTheNextGoesOn() throws {
        let doors: [((Database) throws -> Void) throws -> Void] = [
            { try test.store.write($0) }, { try test.store.writeDurably($0) },
            { try test.store.write(isServed: false, $0) },
        ]
        for write in doors {
            let error = #expect(throws: StoreError.self) {
                try write { db in
                    try put("x1", in: db)
                    // As after a full disk, in a body that goes on all the same.
                    try db.rollback()
                    try put("x2", in: db)
                    try db.execute(sql: "DELETE FROM meta WHERE key = 'x2'")
                }
            }
            #expect(error?.message == StoreError.takenBack.message)
            #expect(try names() == [])
            try write { try put("x3", in: $0) }
            try write { try $0.execute(sql: "DELETE FROM meta WHERE key = 'x3'") }
        }
    }

    /// What can't be committed: a reference that leads nowhere at its end.
    @Test func oneThatCannotBeCommittedIsTakenBack() throws {
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

    @Test func theFileOfAClosedStoreHasEverythingWithoutItsLog() throws {
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

    @Test func aLentStoreThatIsClosedLeavesTheOtherOpen() throws {
        let lent = test.store.lent()
        try lent.write { try put("x1", in: $0) }
        #expect(try names() == ["x1"])
        try lent.close()
        try test.store.write { try put("x2", in: $0) }
        #expect(try names() == ["x1", "x2"])
        try test.store.checkPlace()
    }

    /// A store that was lent behind a change of files writes to the one that its lender has open, and says so.
    @Test func aLentStoreIsWhereItsLenderIs() throws {
        try FileManager.default.moveItem(atPath: test.store.path, toPath: test.store.path + ".away")
        #expect(FileManager.default.createFile(atPath: test.store.path, contents: nil))
        let lent = test.store.lent()
        #expect(throws: StoreError.self) { try lent.checkPlace() }
        try lent.close()
    }
}
