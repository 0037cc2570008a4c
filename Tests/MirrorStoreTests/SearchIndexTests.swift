import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Updating the search index")
struct SearchIndexTests {
    private let test: TestStore
    private let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
        try test.put(
            .make(.artist, "y", name: "Yves Tanguy"), .make(.artwork, "a", name: "Café", artists: ["y"]),
            .make(.artwork, "b", name: "Harbour"), .make(.artist, "z", name: "Zao"), run: run)
    }

    private func entries() throws -> [String] {
        try test.store.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT e.kind || ' ' || e.id || ' ' || s.title || ' ' || coalesce(s.artist, '')
                    FROM search_entry e JOIN search s ON s.rowid = e.number ORDER BY 1
                    """)
        }
    }

    private func expectIntactIndex() throws {
        try test.store.write { try $0.execute(sql: "INSERT INTO search (search) VALUES ('integrity-check')") }
        #expect(try test.store.isIndexBehind() == false)
    }

    /// Updates the index, and checks that rebuilding it gives the same entries.
    private func updated() throws -> [String] {
        try test.store.updateSearchIndex()
        let updated = try entries()
        try expectIntactIndex()
        try test.store.rebuildSearchIndex()
        #expect(try entries() == updated)
        return updated
    }

    @Test func theFirstUpdateFillsTheSearchIndex() throws {
        let entries = try updated()
        #expect(entries.count == 4 && entries.first == "artist y Yves Tanguy ")
        #expect(try test.store.search("cafe", limit: 5).map(\.id) == ["a"])
        #expect(try test.store.search("tanguy", limit: 5).map(\.id).sorted() == ["a", "y"])
    }

    @Test func laterChangesAreFoundAfterAnUpdateOfTheSearchIndex() throws {
        try test.store.updateSearchIndex()
        try test.put(
            .make(.artist, "y", name: "Yayoi Kusama"), .make(.artwork, "b", name: "Pumpkin"),
            .make(.artwork, "c", name: "Pier"), run: run)
        try test.store.updateSearchIndex()
        try expectIntactIndex()
        #expect(try test.store.search("tanguy", limit: 5).isEmpty)
        #expect(try test.store.search("harbour", limit: 5).isEmpty)
        #expect(try test.store.search("kusama", limit: 5).map(\.id).sorted() == ["a", "y"])
        #expect(try test.store.search("pumpkin", limit: 5).map(\.id) == ["b"])
        #expect(try test.store.search("pier", limit: 5).map(\.id) == ["c"])
    }

    /// The index was used before by the same connection.
    @Test func anEmptiedSearchIndexIsRebuilt() throws {
        try test.store.updateSearchIndex()
        try test.store.write { try $0.execute(sql: "DELETE FROM search; DELETE FROM search_entry") }
        try test.store.rebuildSearchIndex()
        try expectIntactIndex()
        #expect(try entries().count == 4)
        #expect(try test.store.search("harbour", limit: 5).map(\.id) == ["b"])
    }

    @Test func theSearchIndexIsBehindIfTheStoreWasClosedBeforeItsUpdate() throws {
        try test.store.close()
        let store = try CatalogueStore.open(at: test.folder.database)
        defer { try? store.close() }
        #expect(try store.isIndexBehind())
        try store.updateSearchIndex()
        #expect(try store.search("harbour", limit: 5).map(\.id) == ["b"])
    }

    /// The log has one change for a whole snapshot, of the partner.
    @Test func theSearchIndexIsBehindAfterASnapshotWasLoaded() throws {
        let test = try TestStore(), run = try test.beginRun()
        try test.put(.make(.partner, "p"), run: run)
        try test.store.updateSearchIndex()
        let objects: [Write] = [.object(.make(.artwork, "a")), .object(.make(.artist, "x"))]
        _ = try test.store.load(objects, of: "p", run: run, upTo: LoadPosition(), continues: false)
        try test.store.commitLoaded()
        try test.store.endLoading(isComplete: true)
        #expect(try test.store.isIndexBehind())
        try test.store.check(.search) { Issue.record("\($0)") }
        try test.store.updateSearchIndex()
        #expect(try !test.store.isIndexBehind())
    }

    @Test(arguments: [
        [
            [TestObject(.artwork, "c", name: "Pier", artists: ["y"])],
            [TestObject(.artwork, "d", name: "Quay")],
        ],
        [[TestObject(.artwork, "b", name: "Lighthouse")], []],
        [[TestObject(.artist, "y", name: "Yayoi Kusama")], [TestObject(.artwork, "c", name: "Pumpkin")]],
        [
            [TestObject(.artwork, "c", name: "Pier", artists: ["w"])],
            [TestObject(.artist, "w", name: "Wols")],
        ],
        [[TestObject(.album, "m", name: "Mine")], []],
    ])
    fileprivate func anUpdatedSearchIndexEqualsARebuiltOne(_ rounds: [[TestObject]]) throws {
        try test.store.updateSearchIndex()
        for objects in rounds {
            for object in objects { try test.put(object.record, run: run) }
            try test.store.updateSearchIndex()
        }
        #expect(try updated().count >= 4)
    }
}

private struct TestObject: Sendable, CustomTestStringConvertible {
    let record: ObjectRecord
    var testDescription: String { "\(record.kind) \(record.id)" }

    init(_ kind: Kind, _ id: String, name: String, artists: [String] = []) {
        record = .make(kind, id, name: name, artists: artists)
    }
}
