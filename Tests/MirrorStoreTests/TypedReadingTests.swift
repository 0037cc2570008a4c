import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Reading objects as typed values") struct TypedReadingTests {
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

    @Test func ghostsAndLocallyDeletedAlbumsAreNotFetched() throws {
        #expect(try test.store.find(.artist, "gone")?.summary.ghost == true)
        #expect(try test.store.fetch(Artist.self, id: "gone") == nil)
        #expect(try test.store.fetch(Album.self, id: "m")?.name == "Mine")
        try test.store.write { try $0.execute(sql: "UPDATE album SET deleted = 1") }
        #expect(try test.store.fetch(Album.self, id: "m") == nil)
        #expect(try test.store.fetchAll(Album.self) == [])
    }

    @Test func allObjectsOfATypeAreOrderedByName() throws {
        #expect(try test.store.fetchAll(Artist.self).map(\.id) == ["y", "x"])
        #expect(try test.store.fetchAll(Artwork.self).map(\.id) == ["v", "w"])
        #expect(try test.store.fetchAll(Show.self).isEmpty)
    }

    @Test func theStoredArtworksOfAnOwnerAreInItsOrder() throws {
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

    @Test func objectsCanBeFetchedInPages() throws {
        #expect(try test.store.fetchAll(Artwork.self, limit: 1).map(\.id) == ["v"])
        #expect(try test.store.fetchAll(Artwork.self, limit: 5, offset: 1).map(\.id) == ["w"])
        #expect(try test.store.fetchAll(Artwork.self, offset: 1).map(\.id) == ["w"])
        #expect(try test.store.artworks(of: Owner(.artist, "x"), limit: 1, offset: 1).map(\.id) == ["w"])
    }

    @Test func relatedObjectsOfAnArtworkAreOrderedByNameAndItsArtistsAsInTheArtwork() throws {
        let artist = try Artist(text: #"{"id":"gone","name":"Found"}"#), run = try test.beginRun()
        try test.put(
            ObjectRecord(.artist, artist, etag: nil), .make(.show, "s", name: "Zeal", location: "l"),
            .make(.show, "t", name: "art", artists: ["x"], location: "l"), .make(.location, "l"), run: run)
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO show_artwork (show_id, artwork_id, position) VALUES ('s', 'v', 0), ('t', 'v', 0);
                    INSERT INTO location_artwork (location_id, artwork_id, position) VALUES ('l', 'v', 0);
                    INSERT INTO album_artwork (album_id, artwork_id, position, pending) VALUES
                      ('m', 'v', 0, 'add'), ('m', 'w', 1, 'remove');
                    """)
        }
        let store = test.store
        #expect(try store.fetchAll(Artist.self, of: Owner(.artwork, "v")).map(\.id) == ["x", "gone"])
        #expect(try store.fetchAll(Show.self, of: Owner(.artwork, "v")).map(\.id) == ["t", "s"])
        #expect(try store.fetchAll(Show.self, of: Owner(.location, "l"), limit: 1).map(\.id) == ["t"])
        #expect(try store.fetchAll(Show.self, of: Owner(.artist, "x")).map(\.id) == ["t"])
        #expect(try store.fetchAll(Artist.self, of: Owner(.show, "t")).map(\.id) == ["x"])
        #expect(try store.fetchAll(Location.self, of: Owner(.artwork, "v")).map(\.id) == ["l"])
        #expect(try store.fetchAll(Album.self, of: Owner(.artwork, "v")).map(\.id) == ["m"])
        #expect(try store.fetchAll(Album.self, of: Owner(.artwork, "w")).isEmpty, "removed locally")
        #expect(try store.fetchAll(Album.self, of: Owner(.artist, "x")).isEmpty)
    }

    @Test func picturesAreInTheServersOrderWithTheirStoredFiles() throws {
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a", images: ["q", "p"]), run: run)
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO file (hash, size, path, type) VALUES
                      ('h1', 1, 'media/h1.jpg', 'image/jpeg'), ('h2', 2, 'media/h2.jpg', 'image/jpeg');
                    INSERT INTO image_file (image, format, hash, entry)
                      SELECT pk, 'square', 'h1', 'e1' FROM image WHERE id = 'p'
                      UNION ALL SELECT pk, 'larger', 'h2', 'e1' FROM image WHERE id = 'p'
                      UNION ALL SELECT pk, 'tile/0/0_0', 'h1', 'e1' FROM image WHERE id = 'p'
                      UNION ALL SELECT pk, 'larger', NULL, 'e1' FROM image WHERE id = 'q';
                    """)
        }
        let pictures = try test.store.pictures(of: Owner(.artwork, "a"))
        #expect(pictures.map(\.image.id) == ["q", "p"] && pictures.allSatisfy { $0.role == .picture })
        #expect(pictures.map(\.largest?.path) == [nil, "media/h2.jpg"])
        #expect(pictures.last?.files.mapValues(\.size) == ["square": 1, "larger": 2])
        #expect(try test.store.find(.artwork, "a")?.files == ["media/h2.jpg", "media/h1.jpg"])
        #expect(try test.store.pictures(of: Owner(.artist, "x")).isEmpty)
        let file = try #require(pictures.last?.largest)
        #expect(test.folder.files.absolutePath(file) == "\(test.folder.path)/media/h2.jpg")
    }

    @Test func theFileOfADocumentIsFoundByItsOwnerAndId() throws {
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO file (hash, size, path, type) VALUES ('h', 1, 'media/h.pdf', 'application/pdf');
                    INSERT INTO document (id, artist_id, json, file) VALUES ('d', 'x', '{"id":"d"}', 'h');
                    INSERT INTO document (id, artist_id, json) VALUES ('d', 'y', '{"id":"d"}');
                    """)
        }
        #expect(try test.store.file(ofDocument: "d", of: Owner(.artist, "x"))?.path == "media/h.pdf")
        #expect(try test.store.file(ofDocument: "d", of: Owner(.artist, "y")) == nil)
        #expect(try test.store.file(ofDocument: "d", of: Owner(.artwork, "w")) == nil)
    }

    @Test func aSearchCanBeLimitedToOneKind() throws {
        try test.put(.make(.artist, "wave", name: "Wave"), run: test.beginRun())
        try test.store.updateSearchIndex()
        #expect(try Set(test.store.search("wave", limit: 5).map(\.kind)) == [.artwork, .artist])
        #expect(try test.store.search("wave", in: .artist, limit: 5).map(\.id) == ["wave"])
        #expect(try test.store.search("wave", in: .show, limit: 5).isEmpty)
    }

    @Test func onlyTheDocumentsOfTheGivenOwnerAreFetched() throws {
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

    @Test func storedJSONThatCannotBeReadIsReportedAsDamaged() throws {
        try test.store.write { try $0.execute(sql: "UPDATE artwork SET json = '{' WHERE id = 'w'") }
        let error = #expect(throws: StoreError.self) { try test.store.fetch(Artwork.self, id: "w") }
        #expect(error?.code == .damaged)
    }
}
