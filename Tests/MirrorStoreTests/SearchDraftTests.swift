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

    /// The draft, taken for the index: as one that is made in place.
    private func taken() throws -> [String] {
        try test.store.beginSearchIndex(waits: true)
        try test.store.updateSearchIndex()
        let drafted = try entries()
        try isSound()
        try test.store.rebuildSearchIndex()
        #expect(try entries() == drafted)
        return drafted
    }

    @Test func itIsTheOneThatIsMadeInPlace() throws {
        let drafted = try taken()
        #expect(drafted.count == 4 && drafted.first == "artist y Yves Tanguy ")
        #expect(try test.store.search("cafe", limit: 5).map(\.id) == ["a"])
        #expect(try test.store.search("tanguy", limit: 5).map(\.id).sorted() == ["a", "y"])
    }

    /// For few objects there is none, and the index is made in its place.
    @Test(arguments: [(Int64(2), true), (3, false)])
    func itIsWorthItFromSoManyRowsOn(least: Int64, isMade: Bool) throws {
        try test.store.beginSearchIndex(least: least, waits: true)
        let made = test.store.draft.take()
        #expect((made != nil) == isMade)
        try test.store.updateSearchIndex()
        #expect(try entries().count == 4)
        try isSound()
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

    // MARK: - As objects come in

    /// Looks at what came, as a run does after many writes.
    private func look() {
        test.store.advanceSearchIndex(by: 5_000)
        test.store.draft.wait()
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
    fileprivate func whatComesBetweenLooksIsInIt(_ rounds: [[TestObject]]) throws {
        for objects in [[], []] + rounds {
            for object in objects { try test.put(object.record, run: run) }
            look()
        }
        let drafted = try taken()
        #expect(drafted.count >= 4)
    }

    @Test func itGoesOnAsLongAsOnlyArtworksCome() throws {
        let path = try #require(DatabaseName.ofExisting(test.folder.database))
        var filling = try SearchFilling(most: 100)
        #expect(try filling.advance(path, isLast: false) == .goesOn)
        // Now that no artist came any more.
        #expect(try filling.advance(path, isLast: false) == .goesOn)
        try test.put(.make(.artwork, "c", name: "Pier", artists: ["y"]), run: run)
        #expect(try filling.advance(path, isLast: false) == .goesOn)
        var copy = filling
        #expect(try copy.advance(path, isLast: true) == .ready(change: 5))
        let found = try filling.owner.read {
            try String.fetchAll(
                $0,
                sql:
                    "SELECT e.id FROM search JOIN search_entry e ON e.number = search.rowid WHERE search MATCH 'tanguy' ORDER BY 1"
            )
        }
        #expect(found == ["a", "c", "y"])
    }

    @Test func whatCameBehindItSpoilsIt() throws {
        let path = try #require(DatabaseName.ofExisting(test.folder.database))
        // A ghost, in a row before that of what is put in.
        try test.store.write { try Ghosts(db: $0).ensure(.artwork, "g") }
        try test.put(.make(.artwork, "h", name: "Harbour"), run: run)
        var filling = try SearchFilling(most: 100)
        for _ in 0..<2 { #expect(try filling.advance(path, isLast: false) == .goesOn) }
        try test.put(.make(.artwork, "g", name: "Gate"), run: run)
        #expect(try filling.advance(path, isLast: false) == .spoiled)
    }

    @Test func whereThereIsAnIndexOrTooMuchItIsNeedless() throws {
        let path = try #require(DatabaseName.ofExisting(test.folder.database))
        var filling = try SearchFilling(most: 2)
        #expect(try filling.advance(path, isLast: true) == .needless)
        try test.store.updateSearchIndex()
        filling = try SearchFilling(most: 100)
        #expect(try filling.advance(path, isLast: true) == .needless)
    }
}

private struct TestObject: Sendable, CustomTestStringConvertible {
    let record: ObjectRecord
    var testDescription: String { "\(record.kind) \(record.id)" }

    init(_ kind: ObjectKind, _ id: String, name: String, artists: [String] = []) {
        record = .make(kind, id, name: name, artists: artists)
    }
}
