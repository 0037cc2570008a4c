import CWriteAhead
import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// The write-ahead log, a transaction at a time: whenever the program might die, what was committed is in the files.
@Suite struct WriteAheadTests {
    private let folder: URL
    private let path: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "write-ahead-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "a.sqlite").path
    }

    /// With so little memory for pages that a long transaction writes before its end.
    private func open(pageSize: Int) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = \(pageSize)")
            try db.execute(sql: "PRAGMA cache_size = 8")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 200")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write {
            try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, v TEXT)")
        }
        return queue
    }

    /// What is found in the files as they are, by somebody who comes after a crash.
    private func left() throws -> [Int: String] {
        let copy = folder.appending(path: "copy.sqlite").path
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: copy + suffix)
            guard suffix != "-shm", FileManager.default.fileExists(atPath: path + suffix) else { continue }
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let queue = try DatabaseQueue(path: copy)
        defer { try? queue.close() }
        return try queue.read { db in
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
            let rows = try Row.fetchAll(db, sql: "SELECT n, v FROM t")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        }
    }

    @Test(arguments: 1...4, [512, 8192, 65536])
    func whatWasCommittedIsThereAndNothingElse(seed: UInt64, pageSize: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var state = seed
        func draw(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let queue = try open(pageSize: pageSize)
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } == pageSize)
        #expect(queue.inDatabase { cwriteahead_join_frames($0.sqliteConnection) } == 1)
        #expect(queue.inDatabase { cwriteahead_join_frames($0.sqliteConnection) } == 1)
        var committed: [Int: String] = [:]
        for _ in 0..<20 {
            var next = committed
            try queue.inDatabase { db in
                try db.execute(sql: "BEGIN IMMEDIATE")
                for _ in 0..<draw(4) * draw(60) + 1 {
                    let number = draw(300)
                    let value = String(repeating: "\(draw(10))", count: 1 + draw(3000))
                    next[number] = value
                    try db.execute(
                        sql: "INSERT INTO t VALUES (?, ?) ON CONFLICT DO UPDATE SET v = excluded.v",
                        arguments: [number, value])
                }
            }
            // Nothing of it is there before its end, though much may be written.
            #expect(try left() == committed)
            if draw(4) == 0 {
                try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
            } else {
                try queue.inDatabase { try $0.execute(sql: "COMMIT") }
                committed = next
            }
            #expect(try left() == committed)
            // Others see it at once.
            let other = try DatabaseQueue(path: path)
            #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == committed.count)
            switch draw(6) {
            case 0: try queue.inDatabase { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
            case 1: try other.inDatabase { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            case 2:
                // Somebody else appends to the log, or begins it anew.
                committed[1000] = "by another"
                try other.inDatabase {
                    try $0.execute(sql: "INSERT OR REPLACE INTO t VALUES (1000, 'by another')")
                }
            default: break
            }
            try other.close()
        }
        try queue.close()
        #expect(try left() == committed)
    }

    /// What waited when it was taken back would stand where another connection has written since.
    @Test(arguments: [
        "PRAGMA wal_checkpoint(PASSIVE)", "INSERT INTO t VALUES (5000, 'mine')", "SELECT v FROM t",
    ])
    func whatIsTakenBackIsNotWrittenOverWhatOthersAppend(next: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = try open(pageSize: 4096)
        defer { try? queue.close() }
        #expect(queue.inDatabase { cwriteahead_join_frames($0.sqliteConnection) } == 1)
        let length = {
            try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        }
        let before = try length()
        try queue.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            for number in 0..<14 {
                let value = String(repeating: "x", count: 4000)
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [number, value])
            }
            // More than the cache takes, and it waits: else this would test nothing.
            #expect(try length() == before)
            try db.execute(sql: "ROLLBACK")
        }
        let other = try DatabaseQueue(path: path)
        defer { try? other.close() }
        try other.write { db in
            for number in 100..<120 {
                let value = String(repeating: "y", count: 4000)
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [number, value])
            }
        }
        try queue.inDatabase { try $0.execute(sql: next) }
        let left = try left()
        #expect(left.filter { $0.key < 5000 }.map(\.key).sorted() == Array(100..<120))
        #expect(left.filter { $0.key < 5000 }.allSatisfy { $0.value == String(repeating: "y", count: 4000) })
    }

    @Test func aDatabaseInMemoryHasNoLog() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = try DatabaseQueue()
        #expect(queue.inDatabase { cwriteahead_join_frames($0.sqliteConnection) } == 0)
    }
}
