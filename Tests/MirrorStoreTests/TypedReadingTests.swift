import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Objects as values of their types") struct TypedReadingTests {
    private let test: TestStore

    init() throws {
        test = try TestStore()
        let run = try test.beginRun()
        let bodies: [(Kind, String)] = [
            (.artist, #"{"id":"x","name":"Hokusai"}"#), (.artist, #"{"id":"y","name":"Bosch"}"#),
            (.artwork, #"{"id":"w","title":"Wave","artist":{"id":"x"}}"#),
            (.artwork, #"{"id":"v","title":"View","artists":[{"id":"x"},{"id":"gone"}]}"#),
            (.album, #"{"id":"m","name":"Mine"}"#),
        ]
        for (kind, json) in bodies {
            let object = try kind.type.init(text: json)
            _ = try test.store.apply([.object(ObjectRecord(kind, object, etag: nil))], run: run)
        }
    }

    @Test func anObjectIsFetchedByItsTypeAndId() throws {
        #expect(try test.store.fetch(Artwork.self, id: "w")?.title == "Wave")
        #expect(try test.store.fetch(Artist.self, id: "y")?.name == "Bosch")
        #expect(try test.store.fetch(Artwork.self, id: "x") == nil)
    }

    @Test func whatIsOnlyReferredToOrWasDeletedHereIsNotFetched() throws {
        #expect(try test.store.find(.artist, "gone")?.summary.ghost == true)
        #expect(try test.store.fetch(Artist.self, id: "gone") == nil)
        #expect(try test.store.fetch(Album.self, id: "m")?.name == "Mine")
        try test.store.write { try $0.execute(sql: "UPDATE album SET deleted = 1") }
        #expect(try test.store.fetch(Album.self, id: "m") == nil)
        #expect(try test.store.fetchAll(Album.self) == [])
    }

    @Test func allObjectsOfATypeComeInTheOrderOfTheirNames() throws {
        #expect(try test.store.fetchAll(Artist.self).map(\.id) == ["y", "x"])
        #expect(try test.store.fetchAll(Artwork.self).map(\.id) == ["v", "w"])
        #expect(try test.store.fetchAll(Show.self).isEmpty)
    }

    @Test func artworksOfAnOwnerComeInItsOrderWithoutThoseThatAreNotStored() throws {
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO artwork (id, ghost) VALUES ('lost', 1);
                    INSERT INTO album_artwork (album_id, artwork_id, position, pending) VALUES
                      ('m', 'w', 0, NULL), ('m', 'lost', 1, NULL), ('m', 'v', 2, 'remove');
                    """)
        }
        #expect(try test.store.artworks(of: Owner(.album, "m")).map(\.id) == ["w"])
        #expect(try test.store.artworks(of: Owner(.artist, "x")).map(\.id) == ["v", "w"])
        #expect(try test.store.artworks(of: Owner(.user, "x")).isEmpty)
    }

    @Test func documentsOfAnOwnerAreFetched() throws {
        try test.store.write { db in
            for owner in ["x", "y"] {
                try db.execute(
                    sql: "INSERT INTO document (id, artist_id, json) VALUES ('d', ?, ?)",
                    arguments: [owner, #"{"id":"d","title":"Of \#(owner)"}"#])
            }
        }
        #expect(try test.store.documents(of: Owner(.artist, "y")).map(\.title) == ["Of y"])
        #expect(try test.store.documents(of: Owner(.artwork, "w")).isEmpty)
    }

    @Test func jsonThatCannotBeReadIsReportedWithTheRemedy() throws {
        try test.store.write { try $0.execute(sql: "UPDATE artwork SET json = '{' WHERE id = 'w'") }
        let error = #expect(throws: StoreError.self) { try test.store.fetch(Artwork.self, id: "w") }
        #expect(error?.code == .damaged)
    }
}
