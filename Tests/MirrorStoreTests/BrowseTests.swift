import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Finding objects by id or slug") struct BrowseTests {
    @Test func anObjectIsFoundOnlyWithinItsOwner() throws {
        let test = try TestStore(), run = try test.beginRun()
        try test.put(.make(.artist, "x"), .make(.artist, "y"), .make(.album, "m"), run: run)
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), run: run)
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO artwork_artist (artwork_id, artist_id, position) VALUES ('a', 'x', 0), ('b', 'y', 0);
                    INSERT INTO album_artwork (album_id, artwork_id, position, pending)
                      VALUES ('m', 'a', 0, NULL), ('m', 'b', 1, 'remove');
                    """)
            for owner in ["x", "y"] {
                try db.execute(
                    sql: "INSERT INTO document (id, artist_id, title, json) VALUES ('d', ?, ?, '{}')",
                    arguments: [owner, "Of \(owner)"])
            }
        }
        let find = { try test.store.find($0, $1, within: $2)?.summary.name }
        #expect(try find(.document, "d", Owner(.artist, "y")) == "Of y")
        #expect(try find(.document, "d", Owner(.artist, "x")) == "Of x")
        let artwork = { try test.store.find(.artwork, $0, within: $1) != nil }
        #expect(try artwork("a", Owner(.artist, "x")) && !artwork("a", Owner(.artist, "y")))
        #expect(try artwork("a", Owner(.album, "m")), "local edits count")
        #expect(try !artwork("b", Owner(.album, "m")))
        #expect(try test.store.find(.artwork, "b") != nil)
    }
}
