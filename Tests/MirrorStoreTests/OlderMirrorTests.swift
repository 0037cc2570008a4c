import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// A small mirror that an earlier version wrote, dumped as SQL. Don't edit the dump.
///
/// It contains the result of a first sync of the demo, a note, and two pending edits: a new album and a changed one.
@Suite("A mirror that an earlier version wrote")
final class OlderMirrorTests {
    private let root = NSTemporaryDirectory() + "mirror-older-" + UUID().uuidString
    private let store: CatalogueStore

    init() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let dump = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "format-9.sql")
        let queue = try DatabaseQueue(path: root + "/mirror.sqlite")
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA page_size = 8192; PRAGMA foreign_keys = OFF")
            try db.execute(sql: "BEGIN;\n" + String(contentsOf: dump, encoding: .utf8) + "COMMIT")
        }
        try queue.close()
        store = try CatalogueStore.open(at: root + "/mirror.sqlite")
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: root)
    }

    @Test func anOlderMirrorIsOpenedWithAllItsContent() throws {
        let counts = try store.counts()
        #expect(counts[.artwork] == 41)
        #expect(counts[.artist] == 24)
        #expect(counts[.location] == 6)
        #expect(counts[.show] == 2)
        #expect(counts[.album] == 5)
        #expect(counts[.document] == 7)
        #expect(try store.totals().files == 87)
        let wave = try #require(try store.find(.artwork, "under-the-wave-off-kanagawa"))
        #expect(wave.json?.contains("Under the Wave off Kanagawa") == true)
        #expect(try store.origin == "http://127.0.0.1:38761/built-in/api/v1")
    }

    @Test func anOlderMirrorHasNoDefects() throws {
        for check in StoreCheck.allCases {
            try store.check(check) { Issue.record("\(check): \($0)") }
        }
        #expect(try store.missingTables() == [])
    }

    @Test func anOlderMirrorCanBeSearched() throws {
        let found = try store.search("hokusai", limit: 10).map(\.id)
        #expect(
            Set(found) == ["katsushika-hokusai", "fine-wind-clear-morning", "under-the-wave-off-kanagawa"])
    }

    @Test func anOlderMirrorKeepsNotesAndPendingEditsOfAlbums() throws {
        #expect(try store.notes().map(\.text) == ["Look at it again in the morning"])
        let waiting = try store.albums().filter(\.isPending).compactMap(\.fields.name)
        #expect(Set(waiting) == ["Highlights", "Read on the train"])
    }

    @Test func aRunCanBeginInAnOlderMirrorAndItsSearchIndexCanBeRebuilt() throws {
        let run = try store.beginRun("sync")
        #expect(run == 2)
        try store.updateSearchIndex()
        try store.rebuildSearchIndex()
        #expect(try store.search("kanagawa", limit: 10).count == 1)
    }
}
