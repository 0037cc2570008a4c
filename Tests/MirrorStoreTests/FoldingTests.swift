import Foundation
import GRDB
import Testing

@testable import MirrorStore

@Suite("Folding the write-ahead log into the file")
struct FoldingTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    @Test func whatIsCommittedIsInTheFileAloneAfterFolding() throws {
        try test.put(long("x"), run: try test.beginRun())
        #expect(try artists() != ["x"])
        fold()
        #expect(try artists() == ["x"])
    }

    @Test func aShortLogIsLeftToWhoClosesTheStore() throws {
        try test.put(.make(.artist, "x"), run: try test.beginRun())
        let length = try #require(
            FileManager.default.attributesOfItem(atPath: test.folder.database + "-wal")[.size] as? Int)
        fold(least: length + 1)
        #expect(try artists() == nil)
        fold(least: length)
        #expect(try artists() == ["x"])
    }

    @Test func theStoreIsWrittenAndClosedAsBeforeAfterFolding() throws {
        let run = try test.beginRun()
        try test.put(long("x"), run: run)
        test.store.beginFolding()
        try test.put(.make(.artist, "y"), run: run)
        try test.store.close()
        #expect(try artists() == ["x", "y"])
    }

    /// A log that is folded is begun anew with the next commit, whether or not somebody is about to fold it once more.
    @Test func nothingIsLostBetweenFoldingsThatFollowEachOther() throws {
        let run = try test.beginRun()
        for number in 0..<100 {
            try test.put(.make(.artist, "\(number)"), run: run)
            for _ in 0..<3 { test.store.beginFolding() }
        }
        try test.store.close()
        #expect(try artists()?.count == 100)
    }

    @Test func aFileThatIsGoneIsNoTroubleAndIsNotMade() {
        let path = test.folder.database + "-none"
        let folder = LogFolder(path: path)
        folder.begin()
        folder.wait()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// So long that its log is worth being folded: a short one is left to who closes the store.
    private func long(_ id: String) -> ObjectRecord {
        .make(.artist, id, name: String(repeating: "long ", count: 300_000))
    }

    private func fold(least: Int = 1 << 20) {
        let folder = LogFolder(path: test.folder.database, least: least)
        folder.begin()
        folder.wait()
    }

    /// What the file says without its log.
    private func artists() throws -> [String]? {
        let copy = test.folder.database + "-copy"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: test.folder.database, toPath: copy)
        return try DatabaseQueue(path: copy).read { db in
            guard try db.tableExists("artist") else { return nil }
            return try String.fetchAll(db, sql: "SELECT id FROM artist ORDER BY id")
        }
    }
}
