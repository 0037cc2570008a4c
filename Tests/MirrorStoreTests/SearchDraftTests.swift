import GRDB
import Testing

@testable import MirrorStore

@Suite("A search index made beside the end of a run")
struct SearchDraftTests {
    private let test: TestStore
    private let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
        try test.put(
            .make(.artist, "y", name: "Yves Tanguy"), .make(.artwork, "a", name: "Café", artists: ["y"]),
            .make(.artwork, "b", name: "Harbour"), .make(.artist, "z", name: "Zao"), run: run)
    }

    /// Whether there is an index that only waits to be taken.
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

    private func isSound() throws {
        try test.store.write { try $0.execute(sql: "INSERT INTO search (search) VALUES ('integrity-check')") }
        #expect(try test.store.isIndexBehind() == false)
    }

    @Test func itIsTheOneThatIsMadeInPlace() throws {
        try test.store.beginSearchIndex(waits: true)
        try test.store.updateSearchIndex()
        let drafted = try entries()
        try isSound()
        try test.store.rebuildSearchIndex()
        #expect(try entries() == drafted)
        #expect(drafted.count == 4 && drafted.first == "artist y Yves Tanguy ")
        #expect(try test.store.search("cafe", limit: 5).map(\.id) == ["a"])
        #expect(try test.store.search("tanguy", limit: 5).map(\.id).sorted() == ["a", "y"])
    }

    @Test func whatChangedSinceIsInTheIndex() throws {
        try test.store.beginSearchIndex(waits: true)
        try test.put(.make(.artwork, "b", name: "Lighthouse"), .make(.artwork, "c", name: "Pier"), run: run)
        try test.store.updateSearchIndex()
        try isSound()
        #expect(try test.store.search("harbour", limit: 5).isEmpty)
        #expect(try test.store.search("lighthouse", limit: 5).map(\.id) == ["b"])
        #expect(try test.store.search("pier", limit: 5).map(\.id) == ["c"])
    }

    @Test func laterChangesAreBroughtIntoIt() throws {
        try test.store.beginSearchIndex(waits: true)
        try test.store.updateSearchIndex()
        try test.put(
            .make(.artist, "y", name: "Yayoi Kusama"), .make(.artwork, "b", name: "Pumpkin"), run: run)
        try test.store.beginSearchIndex(waits: true)
        try test.store.updateSearchIndex()
        try isSound()
        #expect(try test.store.search("tanguy", limit: 5).isEmpty)
        #expect(try test.store.search("kusama", limit: 5).map(\.id).sorted() == ["a", "y"])
        #expect(try test.store.search("pumpkin", limit: 5).map(\.id) == ["b"])
    }

    /// An index that was used by this program, and lost since.
    @Test func anIndexThatWasEmptiedIsMadeAnew() throws {
        try test.store.updateSearchIndex()
        try test.store.write { try $0.execute(sql: "DELETE FROM search; DELETE FROM search_entry") }
        try test.store.beginSearchIndex(waits: true)
        try test.store.updateSearchIndex()
        try isSound()
        #expect(try entries().count == 4)
        #expect(try test.store.search("harbour", limit: 5).map(\.id) == ["b"])
    }

    @Test func nothingOfOneThatNobodyTookIsLeft() throws {
        try test.store.beginSearchIndex()
        try test.store.close()
        let store = try CatalogueStore.open(at: test.folder.database)
        defer { try? store.close() }
        #expect(try store.isIndexBehind())
        try store.updateSearchIndex()
        #expect(try store.search("harbour", limit: 5).map(\.id) == ["b"])
    }
}
