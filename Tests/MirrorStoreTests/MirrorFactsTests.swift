import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("The state of a mirror during its first copy")
struct MirrorFactsTests {
    private let test: TestStore
    private var store: CatalogueStore { test.store }

    /// Two of four listed artworks are stored, of which one is not published; a third is only referred to.
    init() throws {
        test = try TestStore()
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b", "c", "d"], run: run)
        for (id, isPublished) in [("a", true), ("b", false)] {
            let json: JSONObject = ["id": .string(id), "published": .bool(isPublished)]
            try test.put(ObjectRecord(.artwork, try Artwork(json), etag: nil), run: run)
        }
        try test.put(.make(.show, "s"), run: run)
        _ = try test.members(Owner(.show, "s"), ["a", "c"], run: run)
    }

    @Test func `Visitors aren't told of hidden artworks by the progress of the first copy`() throws {
        #expect(try store.mirrorFacts(for: .staff).firstCopy == MirrorFacts.FirstCopy(artworks: 2, listed: 4))
        #expect(
            try store.mirrorFacts(for: .visitors).firstCopy == MirrorFacts.FirstCopy(artworks: 1, listed: 3))
    }

    @Test func `Hidden artworks are counted by an index`() throws {
        let plan = try store.read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(CatalogueStore.hiddenArtworks)").map {
                $0["detail"] as String
            }
        }
        #expect(plan.count == 1 && plan[0].contains("COVERING INDEX artwork_hidden"), "\(plan)")
    }
}
