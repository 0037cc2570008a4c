import Catalogue
import GRDB
import Testing

@testable import MirrorStore

/// The slug or id by which pages link to an object leads to that object.
@Suite("Slugs in links") struct PageSlugTests {
    let test: TestStore
    let run: Int64
    private var store: CatalogueStore { test.store }

    static let kinds: [Kind] = [.artwork, .artist, .show, .album, .location]

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
    }

    private func record(_ kind: Kind, _ id: String, slug: String?, _ more: JSONObject = [:]) throws
        -> ObjectRecord
    {
        var json = more
        json["id"] = .string(id)
        json["slug"] = slug.map(JSONValue.string)
        return ObjectRecord(kind, try kind.type.init(json), etag: nil)
    }

    private func put(_ kind: Kind, _ id: String, slug: String? = nil, _ more: JSONObject = [:]) throws {
        try test.put(record(kind, id, slug: slug, more), run: run)
    }

    private func key(_ kind: Kind, _ id: String) throws -> String? {
        try store.findAlone(kind, id)?.summary.key
    }

    @Test(arguments: kinds) func `A slug that is another object's id isn't used in links`(_ kind: Kind) throws
    {
        try put(kind, "a", slug: "b")
        #expect(try key(kind, "a") == "b" && store.findAlone(kind, "b")?.summary.id == "a")
        try put(kind, "b", slug: "c")
        #expect(try key(kind, "a") == "a" && key(kind, "b") == "c")
        // It still is the object's slug.
        #expect(try store.findAlone(kind, "a")?.summary.slug == "b")
    }

    @Test(arguments: kinds) func `Each object is found by the key in its links`(_ kind: Kind) throws {
        let slugs = [
            ("a", "b"), ("b", "a"), ("c", "c"), ("d", "s"), ("e", "s"), ("f", ""), ("g", nil), ("h", "i"),
        ]
        for (id, slug) in slugs { try put(kind, id, slug: slug) }
        for (id, _) in slugs {
            let key = try #require(try self.key(kind, id))
            let found = try #require(try store.findAlone(kind, key)?.summary)
            #expect(found.id == id && found.key == key)
        }
        #expect(try key(kind, "h") == "i" && key(kind, "f") == "f")
    }

    @Test func `The id of an object that is only referred to isn't used as another's slug`() throws {
        try put(.artist, "x", slug: "y")
        try put(.artwork, "a", ["artists": [["id": "y"]]])
        #expect(try store.findAlone(.artist, "y")?.summary.ghost == true)
        #expect(try key(.artist, "x") == "x")
    }

    @Test func `The id of a locally deleted album can be another album's slug`() throws {
        try put(.album, "a", slug: "b")
        try put(.album, "b")
        #expect(try key(.album, "a") == "a")
        try store.write { try $0.run("UPDATE album SET deleted = 1 WHERE id = 'b'") }
        #expect(try key(.album, "a") == "b" && store.findAlone(.album, "b")?.summary.id == "a")
    }

    @Test func `Captions, lists of names and related objects use the same slugs`() throws {
        try put(.artist, "x", slug: "y", ["name": "X"])
        try put(.artist, "y", slug: "z", ["name": "Y"])
        let artists: JSONObject = ["artists": [["id": "x"], ["id": "y"]]]
        try put(.artwork, "a", slug: "b", artists)
        try put(.artwork, "b", slug: "c", artists)
        try put(.location, "l", slug: "m", ["name": "L"])
        try put(.location, "m", ["name": "M"])
        try put(.show, "s", ["name": "S"])
        try store.write { db in
            try db.run(
                "INSERT INTO show_artist (show_id, artist_id, position) VALUES ('s', 'x', 0), ('s', 'y', 1)")
            try db.run("INSERT INTO artwork_location (artwork_id, location_id) VALUES ('a', 'l')")
        }
        try store.updateSearchIndex()
        let items = try store.items(["a", "b"], for: .visitors)
        #expect(items.map(\.slug) == [nil, "c"])
        let names = try store.names(.artist, for: .visitors, limit: 9).items
        #expect(names.map(\.id) == ["x", "y"] && names.map(\.slug) == [nil, "z"])
        let related = try store.related(.artist, to: Owner(.show, "s"), limit: 9).items
        #expect(related.map(\.key) == ["x", "z"])
        let place = try store.place(ofArtwork: "a")
        #expect(place?.key == "l")
        #expect(try store.shownSummary(.artwork, "a", to: .visitors)?.key == "a")
        #expect(try store.shownSummary(.artwork, "b", to: .visitors)?.key == "c")
    }

    @Test func `The latest changes link losers of a slug by their ids`() throws {
        try store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        let second = try test.beginRun()
        for (id, slug, day) in [("a", "s", 1), ("b", "s", 2), ("c", "a", 1), ("d", "e", 1)] {
            for kind in [Kind.artwork, .show] {
                let date: JSONObject = ["updated_at": .string("2026-01-0\(day)T10:00:00Z")]
                try test.put(record(kind, id, slug: slug, date), run: second)
            }
        }
        let changes = try store.latestChanges(for: .staff, limit: 99)
        for kind in [Kind.artwork, .show] {
            let slugs = changes.filter { $0.kind == kind }.sorted { $0.id < $1.id }.map(\.slug)
            #expect(slugs == [nil, "s", nil, "e"])
        }
    }

    /// Rivals are settled at the end, and the slugs have no index before.
    @Test func `While a snapshot is loaded, links use ids`() throws {
        let objects = try ["a", "b"].map { Write.object(try record(.artwork, $0, slug: "s")) }
        _ = try store.load(
            objects, of: "p", run: run, upTo: LoadPosition(), dropsIndexes: true, continues: false)
        try store.commitLoaded()
        #expect(try store.items(["a", "b"], for: .visitors).map(\.slug) == [nil, nil])
        #expect(try key(.artwork, "a") == "a" && key(.artwork, "b") == "b")
        _ = try store.settleSlugsAfterLoading(run: run)
        try store.endLoading(isComplete: true)
        let slugs = try store.items(["a", "b"], for: .visitors).map(\.slug)
        #expect(slugs.compactMap(\.self) == ["s"])
    }
}
