import Catalogue
import Testing

@testable import CatalogueSources

/// Artists, locations, members and pictures of an object.
@Suite struct ReadPartsTests {
    private static func read(_ line: String, _ answer: String, row: String = "SELECT 'A' AS title") throws
        -> ReadObject
    {
        var description = TestDescription()
        description.row = row
        if !line.isEmpty { description.object = [line] }
        return try #require(try description.reader().object(answer, id: "1").object)
    }

    @Test func artistsAreEntriesOfTheArtworkAndObjectsOfTheirOwn() throws {
        let query =
            "artists: \"SELECT value ->> 'id' AS id, value ->> 'name' AS name, value ->> 'role' AS role, value ->> 'born' AS birthday FROM json_each(:body, '$.by')\""
        let object = try Self.read(
            query,
            #"{"id":1,"by":[{"id":501,"name":"Ada Maker","role":"Artist","born":1770},{"id":501,"name":"Ada Maker","role":"Printer"},{"name":"Eva"},{"role":"Artist"},{"name":"Eva","role":"x"},{"id":"b","name":""}]}"#
        )
        let eva = SourceSlug.id(forName: "Eva")
        #expect(
            object.json["artists"]
                == [
                    ["id": "501", "name": "Ada Maker", "role": "Artist"],
                    ["id": .string(eva), "name": "Eva"],
                    ["id": "b"],
                ])
        #expect(
            object.artists == [
                ["birthday": "1770", "id": "501", "name": "Ada Maker", "slug": "ada-maker-501"],
                ["id": .string(eva), "name": "Eva", "slug": object.artists[1]["slug"] ?? .null],
                ["id": "b", "slug": "b"],
            ])
        #expect(try Artwork(object.json).artistIDs == ["501", eva, "b"])
        #expect(try object.artists.map { try Artist($0).name } == ["Ada Maker", "Eva", nil])
    }

    @Test(arguments: [
        ("SELECT 'A' AS title, 7 AS location_id, 'Room 7' AS location", "7", "Room 7", "room-7-7"),
        ("SELECT 'A' AS title, 7 AS location_id", "7", nil, "7"),
        ("SELECT 'A' AS title, '' AS location_id", nil, nil, nil),
    ]) func theLocationIsAnObjectOfItsOwn(_ row: String, _ id: String?, _ name: String?, _ slug: String?)
        throws
    {
        let object = try Self.read("", #"{"id":1}"#, row: row)
        #expect(object.location?["id"]?.stringValue == id)
        #expect(object.location?["name"]?.stringValue == name)
        #expect(object.location?["slug"]?.stringValue == slug)
        #expect(object.json["location_id"]?.stringValue == id)
        #expect(object.json["location"] == nil)
    }

    @Test func aLocationWithoutAnIDGetsOneFromItsName() throws {
        let row = "SELECT 'A' AS title, 'Room 7' AS location"
        let id = try Self.read("", #"{"id":1}"#, row: row).location?["id"]?.stringValue
        #expect(id?.hasPrefix("room-7-") == true)
        #expect(try Self.read("", #"{"id":1}"#, row: row).location?["id"]?.stringValue == id)
    }

    @Test func aShowHasMembersArtistsAndALocation() throws {
        let reader = try SourceReader(
            yaml: """
                source: test
                title: A Museum
                base: https://api.example.org/v1
                shows:
                  list: { form: whole, get: /shows, rows: "SELECT value AS id FROM json_each(:body)" }
                  object:
                    get: /shows/{id}
                    is: SELECT :body ->> 'id'
                    row: SELECT :body ->> 'name' AS name, 3 AS location_id, 'Hall' AS location, '2026-01-02' AS start_at
                    artists: SELECT value AS id FROM json_each(:body, '$.artists')
                    members: SELECT value FROM json_each(:body, '$.works')
                """)
        let object = try #require(
            try reader.object(
                #"{"id":9,"name":"S","artists":[501],"works":[3,1,"",null,3,"x"]}"#, id: "9", of: .show
            ).object)
        #expect(object.members == ["3", "1", "x"])
        let show = try Show(object.json)
        #expect(show.locationID == "3")
        #expect(show.artistIDs == ["501"])
        #expect(show.slug == "s-9")
        #expect(show.startAt == "2026-01-02")
    }

    @Test func anAlbumHasMembersAndFlags() throws {
        let reader = try SourceReader(
            yaml: """
                source: test
                title: A Museum
                base: https://api.example.org/v1
                albums:
                  list: { form: whole, get: /sets, rows: "SELECT value AS id FROM json_each(:body)" }
                  object:
                    get: /sets/{id}
                    is: SELECT :body ->> 'id'
                    row: SELECT :body ->> 'name' AS name, :body ->> 'hidden' AS private, :body ->> 'about' AS description
                    members: SELECT value ->> 'id' FROM json_each(:body, '$.parts')
                """)
        let object = try #require(
            try reader.object(
                #"{"id":"s1","name":"A Set","hidden":false,"about":"","parts":[{"id":2},{"id":1}]}"#,
                id: "s1", of: .album
            ).object)
        #expect(object.json == ["id": "s1", "name": "A Set", "private": false, "slug": "a-set-s1"])
        #expect(object.members == ["2", "1"])
        let album = try Album(object.json)
        #expect(album.name == "A Set")
        #expect(album.isPrivate == false)
    }

    @Test func picturesOfOtherKindsThanArtworksAreRefused() {
        let error = #expect(throws: SourceDescriptionError.self) {
            try SourceReader(
                yaml: """
                    source: test
                    title: A Museum
                    base: https://api.example.org/v1
                    rights: unchecked
                    shows:
                      list: { form: whole, get: /shows, rows: "SELECT value AS id FROM json_each(:body)" }
                      object:
                        get: /shows/{id}
                        is: SELECT :body ->> 'id'
                        row: SELECT :body ->> 'name' AS name
                        images: SELECT :body ->> 'picture' AS url
                    """)
        }
        #expect(
            error?.description
                == "test.yaml:11:13: The shows of a mirror have no pictures in their JSON. Remove \"images\"."
        )
    }

    // MARK: - Pictures

    private static let pictures =
        "images: \"SELECT value ->> 'id' AS id, value ->> 'url' AS url, value ->> 'iiif' AS iiif, value ->> 'w' AS width, value ->> 'h' AS height, value ->> 'c' AS caption, value ->> 'r' AS rights FROM json_each(:body, '$.pictures')\""

    @Test func picturesHaveAnAddressForEachFormat() throws {
        let object = try Self.read(
            Self.pictures,
            #"{"id":1,"pictures":[{"url":"https://images.example.org/A 1.jpg","w":"900","h":600,"c":"Front","r":"CC0"},{"id":"p2","iiif":"https://images.example.org/iiif/2/","w":0,"h":null}]}"#
        )
        #expect(
            object.json["images"]
                == [
                    [
                        "caption": "Front", "id": "https://images.example.org/A 1.jpg",
                        "image_urls": ["larger": "https://images.example.org/A%201.jpg"],
                        "image_versions": ["larger"],
                        "is_default": true, "original_height": 600, "original_width": 900, "rights": "CC0",
                    ],
                    [
                        "id": "p2",
                        "image_urls": [
                            "larger": "https://images.example.org/iiif/2/full/!1600,1600/0/default.jpg",
                            "medium": "https://images.example.org/iiif/2/full/!843,843/0/default.jpg",
                            "square": "https://images.example.org/iiif/2/full/!400,400/0/default.jpg",
                        ], "image_versions": ["square", "medium", "larger"],
                    ],
                ])
        let images = try Artwork(object.json).images
        #expect(images.map(\.originalWidth) == [900, nil])
        #expect(images.map(\.imageVersions) == [["larger"], ["square", "medium", "larger"]])
    }

    @Test func aPictureThatIsNamedTwiceCountsOnce() throws {
        let object = try Self.read(
            Self.pictures,
            #"{"id":1,"pictures":[{"url":"https://images.example.org/1"},{"url":"https://images.example.org/1"},{"id":"x","url":"https://images.example.org/1"},{"id":"x","url":"https://images.example.org/2"},{"id":"x","url":"https://images.example.org/3"}]}"#
        )
        let ids = object.json["images"]?.arrayValue?.map { $0.objectValue?["id"] }
        #expect(ids == ["https://images.example.org/1", "x"])
    }

    @Test func picturesOfOtherHostsAreDroppedAndCounted() throws {
        let object = try Self.read(
            Self.pictures,
            #"{"id":1,"pictures":[{"url":"https://evil.example.com/1"},{"url":"https://evil.example.com/2"},{"iiif":"http://169.254.169.254/latest"},{"url":"/relative.jpg"},{"url":"file:///etc/passwd"},{"url":""},{"url":"https://api.example.org/2"}]}"#
        )
        #expect(object.json["images"]?.arrayValue?.count == 1)
        #expect(object.json["images"]?.arrayValue?[0].objectValue?["is_default"] == true)
        #expect(object.refusedPictures.hosts == ["evil.example.com": 2, "169.254.169.254": 1])
        #expect(object.refusedPictures.unusable == 2)
    }
}
