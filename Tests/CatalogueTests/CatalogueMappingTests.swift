import Catalogue
import Testing

/// Maps objects of a catalogue to the API and back, as an import, a chain of mirrors and then an export do.
enum CatalogueRoundTrip {
    static let kinds = Kinds.standard.listed.map(\.plural) + ["documents"]

    /// Maps an object to the API and back. In between, it checks that the body is in serving form, writes it and reads it.
    static func object(_ plural: String, _ source: JSONObject) throws -> JSONObject {
        guard let kind = Kinds.standard.listed.first(where: { $0.plural == plural }) else {
            let document = try CatalogueMapping.document(fromCatalogue: source, partner: "p")
            let body = try wire(document.body) {
                ServingForm.document($0, partner: "p", owner: document.owner)
            }
            return CatalogueMapping.object(
                toCatalogue: CatalogueDocument(body: body, owner: document.owner, text: document.text))
        }
        let entry = CatalogueMapping.entry(kind, fromCatalogue: source), id = source["id"]?.idText ?? ""
        let pictures = try entry.pictures.mapValues { images in
            try images.map { try wire($0) { ServingForm.showImage($0, show: id) } }
        }
        let body = try wire(entry.body) { body in
            kind == .artwork ? ServingForm.artwork(body) : kind == .show ? ServingForm.show(body) : nil
        }
        return CatalogueMapping.object(
            kind,
            toCatalogue: CatalogueEntry(body: body, artworkIDs: entry.artworkIDs, pictures: pictures))
    }

    private static func wire(
        _ body: JSONObject, _ form: (JSONObject) -> JSONObject? = { _ in nil }
    ) throws -> JSONObject {
        #expect(form(body) == nil, "an imported body is in serving form")
        return try #require(JSONValue(parsing: body.canonicalBytes).objectValue)
    }
}

@Suite struct CatalogueMappingTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(JSONValue(parsing: text).objectValue)
    }

    @Test func anArtworkOfACatalogueIsMappedToTheAPI() throws {
        let source = try object(
            #"""
            {"id":"a/1","slug":"s","title":"T","artist_ids":["x","y","x"],"artist_roles":["A",null,"B"],
            "date_text":"1900","date_start":1900,"medium":"m","accession_number":"1.2","dimensions_text":"3 in","width":5.50,
            "location_id":"l","updated_at":"u","on_view":true,"images":[
            {"id":"i","url":"http://h/i.jpg","width":20,"height":10,"aspect_ratio":2.0,"caption":"c","is_primary":true},
            {"id":"j","path":"p/j"}]}
            """#)
        let body = CatalogueMapping.entry(.artwork, fromCatalogue: source).body
        let expected = try object(
            #"""
            {"id":"a/1","slug":"s","title":"T","artists":[{"id":"x"},{"id":"y"},{"id":"x"}],"artist_roles":["A",null,"B"],
            "date":"1900","date_start":1900,"medium":"m","inventory_id":"1.2","dimensions":{"in":"3 in"},"width":5.50,
            "location_id":"l","updated_at":"u","on_view":true,"images":[
            {"id":"i","source_url":"http://h/i.jpg","original_width":20,"original_height":10,"aspect_ratio":2.0,
            "caption":"c","is_default":true,"position":1,"image_url":"artwork/a%2F1/image/i/larger.jpg",
            "image_versions":["square","medium","larger","normalized"]},
            {"id":"j","path":"p/j","position":2,"image_url":"artwork/a%2F1/image/j/larger.jpg",
            "image_versions":["square","medium","larger","normalized"]}]}
            """#)
        #expect(body.canonicalText == expected.canonicalText)
    }

    @Test func theOtherKindsOfACatalogueAreMappedToTheAPI() throws {
        let artist = CatalogueMapping.entry(
            .artist,
            fromCatalogue: try object(
                #"{"id":"a","name":"N","sort_name":"S","dates_text":"D","birth_year":-5,"death_year":1900,"blurb":"b"}"#
            ))
        #expect(
            artist.body.canonicalText
                == #"{"birthday":-5,"blurb":"b","deathday":1900,"id":"a","name":"N","sortable_id":"S","years":"D"}"#
        )

        let show = CatalogueMapping.entry(
            .show,
            fromCatalogue: try object(
                #"{"id":"s","name":"N ","start_date":"1996","end_date":"1997","blurb":"b","artwork_ids":["2","1"],"artist_ids":["a"],"location_id":"l","cover":{"id":"c","url":"u"},"images":[{"id":"i","width":3}]}"#
            ))
        #expect(
            show.body.canonicalText
                == #"{"artists":[{"id":"a"}],"description":"b","end_at":"1997","id":"s","location_id":"l","name":"N ","start_at":"1996"}"#
        )
        #expect(show.artworkIDs == ["2", "1"])
        #expect(show.pictures[.cover]?.map { $0["image_url"] } == ["show/s/image/c/larger.jpg"])
        #expect(show.pictures[.cover]?.map { $0["source_url"] } == ["u"])
        #expect(show.pictures[.installationShots]?.map { $0["position"] } == [1])
        #expect(show.pictures[.installationShots]?.map { $0["original_width"] } == [3])

        let album = CatalogueMapping.entry(
            .album, fromCatalogue: try object(#"{"id":"b","name":"N","kind":"k","artwork_ids":["1","1"]}"#))
        #expect(album.body.canonicalText == #"{"id":"b","kind":"k","name":"N"}"#)
        #expect(album.artworkIDs == ["1", "1"])

        let document = try CatalogueMapping.document(
            fromCatalogue: try object(
                #"{"id":"d","title":"T","filename":"a b.txt","show_id":"s","text":"é"}"#),
            partner: "p")
        #expect(
            document.body.canonicalText
                == #"{"filename":"a b.txt","id":"d","size":2,"title":"T","uri":"partner/p/show/s/document/d/file/a%20b.txt"}"#
        )
        #expect(document.owner == Owner(.show, "s"))
        #expect(document.text == "é")
    }

    /// Catalogues may contain any JSON: irregular values are mapped back unchanged.
    @Test(arguments: [
        ("artworks", #"{"id":"x","artist_ids":[],"images":[]}"#), ("artworks", #"{"id":"x"}"#),
        ("artworks", "{}"),
        ("artworks", #"{"id":"x","date":"own","date_text":"mapped"}"#),
        ("artworks", #"{"id":"x","date":"own"}"#),
        ("artworks", #"{"id":"x","inventory_id":1,"accession_number":null}"#),
        ("artworks", #"{"id":"x","dimensions_text":"t","dimensions":{"in":"own","cm":"c"}}"#),
        ("artworks", #"{"id":"x","dimensions_text":"t","dimensions":{"cm":"c"}}"#),
        ("artworks", #"{"id":"x","dimensions_text":"t","dimensions":"own"}"#),
        ("artworks", #"{"id":"x","dimensions_text":"t","dimensions":{}}"#),
        ("artworks", #"{"id":"x","dimensions_text":7,"dimensions":null}"#),
        ("artworks", #"{"id":"x","dimensions":{"in":"i"}}"#),
        ("artworks", #"{"id":"x","dimensions":{"cm":"c"}}"#),
        ("artworks", #"{"id":"x","artist_ids":"a"}"#),
        ("artworks", #"{"id":"x","artist_ids":[1,"a",null,{}]}"#),
        ("artworks", #"{"id":"x","artist_ids":null}"#),
        ("artworks", #"{"id":"x","artists":[{"id":"a","n":1}]}"#),
        ("artworks", #"{"id":"x","artists":["q"],"artist_ids":["a"]}"#),
        ("artworks", #"{"id":"x","artist":"Vincent"}"#),
        ("artworks", #"{"id":"x","artist":{"id":"a","n":1},"artist_ids":["a"]}"#),
        ("artworks", #"{"id":"x","images":"none"}"#), ("artworks", #"{"id":"x","images":null}"#),
        ("artworks", #"{"id":"x","images":[1,{"url":"u"},{"id":"i","position":5},{"id":"j","position":4}]}"#),
        (
            "artworks",
            #"{"id":"x","images":[{"id":"i","image_url":"u","image_versions":["a"],"source_url":"s","url":"t"}]}"#
        ),
        (
            "artworks",
            #"{"id":"x","images":[{"id":"i","image_urls":{"larger":"https://h/x.jpg"},"urls":{"square":"https://h/y.jpg"}}]}"#
        ),
        ("artworks", #"{"id":"x","images":[{"id":"i","image_urls":{"larger":"https://h/x.jpg"}}]}"#),
        ("artworks", #"{"id":"x","images":[{"id":"i","urls":"u"}]}"#),
        ("artworks", #"{"id":"x","images":[{"id":"i","original_width":3,"is_default":false}]}"#),
        (
            "artworks",
            #"{"id":"x","images":[{"id":"i","image_versions":["square","medium","larger","normalized"],"position":1}]}"#
        ),
        ("artworks", #"{"id":"x","_catalogue":{"own":{"a":1},"not":["id"]},"a":2}"#),
        ("artworks", #"{"id":7,"location_id":8,"images":[{"id":9,"width":1.50}]}"#),
        ("artworks", #"{"id":"../..","images":[{"id":"a/b?c#d"}]}"#),
        ("artworks", #"{"id":"x","catalogue":"raisonné 7"}"#),
        ("artists", #"{"id":"x","birth_year":"1900","death_year":null}"#),
        ("artists", #"{"id":"x","birthday":"1900"}"#),
        ("artists", #"{"id":"x","birthday":"1900-01-02"}"#),
        ("artists", #"{"id":"x","birthday":1900,"birth_year":1901}"#),
        ("artists", #"{"id":"x","years":"own","dates_text":"d","sortable_id":"own"}"#),
        ("artists", #"{"id":"x","birth_year":{"y":1},"_catalogue":null}"#),
        ("shows", #"{"id":"x"}"#), ("shows", #"{"id":"x","artwork_ids":[],"artist_ids":[]}"#),
        ("shows", #"{"id":"x","description":"own","blurb":"b","start_at":"own"}"#),
        ("shows", #"{"id":"x","artwork_ids":"1","artist_ids":{}}"#),
        ("shows", #"{"id":"x","artwork_ids":[1,"2",null]}"#),
        ("shows", #"{"id":"x","cover":{"url":"u"},"images":[{"url":"u"},{"id":"i"},{"id":"i"},3]}"#),
        ("shows", #"{"id":"x","cover":null,"images":[]}"#),
        ("shows", #"{"id":"x","cover":{"id":"c","position":3}}"#),
        ("shows", #"{"id":"x","images":[{"id":"i","position":2},{"id":"j","path":"p","is_primary":true}]}"#),
        ("shows", #"{"id":"x","location":{"id":"l","n":1},"partner":{"id":"p","n":1}}"#),
        ("shows", #"{"id":"x","location":null,"location_id":null}"#),
        ("albums", #"{"id":"x"}"#), ("albums", #"{"id":"x","artwork_ids":null}"#),
        ("albums", #"{"id":"x","artwork_ids":[3,"3"]}"#),
        ("locations", #"{"id":"x","_catalogue":1,"latitude":1.0}"#), ("locations", "{}"),
        ("documents", #"{"id":"d","show_id":"s","text":"","size":99,"uri":"own","filename":""}"#),
        ("documents", #"{"id":"d","artist_id":"a"}"#),
        ("documents", #"{"id":"d","artist_id":3,"text":7,"more":[]}"#),
        ("documents", #"{"id":"d","artist_id":"a","show_id":"s","text":"t"}"#),
    ])
    func irregularObjectsAreMappedBackUnchanged(kind: String, text: String) throws {
        let source = try object(text)
        #expect(try CatalogueRoundTrip.object(kind, source).canonicalText == source.canonicalText)
    }

    @Test func randomObjectsAreMappedBackUnchanged() throws {
        var random = SeededGenerator(4)
        let names = [
            "id", "date", "date_text", "dimensions", "dimensions_text", "artist", "artists", "artist_ids",
            "images",
            "image_url", "image_urls", "source_url", "source_urls", "url", "urls", "position", "location",
            "location_id", "partner", "cover",
            "birthday",
            "birth_year", "blurb", "description", "artwork_ids", "_catalogue", "own", "not", "text", "size",
            "uri", "in",
        ]
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0..<(depth > 2 ? 4 : 8), using: &random) {
            case 0: .null
            case 1: .string(["a", "b", "", "1900"].randomElement(using: &random) ?? "")
            case 2: .number(JSONNumber(Int.random(in: 0...3, using: &random)))
            case 3: .bool(.random(using: &random))
            case 4, 5: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) })
            default: .object(members(depth + 1, 4))
            }
        }
        func members(_ depth: Int, _ count: Int) -> JSONObject {
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...count, using: &random) {
                object[names.randomElement(using: &random) ?? "id"] = value(depth)
            }
            return object
        }
        for _ in 0..<1000 {
            var source = members(0, 12)
            for kind in CatalogueRoundTrip.kinds {
                if kind == "documents" {
                    source["id"] = "d"
                    source["artist_id"] = "a"
                }
                let back = try CatalogueRoundTrip.object(kind, source)
                #expect(back == source, "\(kind) \(source.canonicalText)")
            }
        }
    }

    @Test func anEditedListIsExportedInsteadOfTheImportedOne() throws {
        let odd = CatalogueMapping.entry(
            .album, fromCatalogue: try object(#"{"id":"x","artwork_ids":[3,"4"]}"#))
        #expect(odd.artworkIDs == ["3", "4"])
        #expect(editedList(odd) == ["4"])
        let none = CatalogueMapping.entry(.album, fromCatalogue: try object(#"{"id":"x"}"#))
        #expect(editedList(none) == ["4"])
    }

    private func editedList(_ entry: CatalogueEntry) -> JSONValue? {
        CatalogueMapping.object(
            .album, toCatalogue: CatalogueEntry(body: entry.body, artworkIDs: ["4"]))["artwork_ids"]
    }

    /// A kind that an app adds.
    @Test func anAddedKindKeepsItsFieldsAndItsListOfArtworks() throws {
        let fair = Kind(
            "fair", plural: "fairs", read: Location.self, isListed: true, lists: [.artworks, .documents])
        let source = try object(
            #"{"id":"f","date_text":"1900","artwork_ids":["b","a"],"images":[{"id":"i"}]}"#)
        let entry = CatalogueMapping.entry(fair, fromCatalogue: source)
        #expect(entry.body == (try object(#"{"id":"f","date_text":"1900","images":[{"id":"i"}]}"#)))
        #expect(entry.artworkIDs == ["b", "a"])
        #expect(CatalogueMapping.object(fair, toCatalogue: entry) == source)
        let document = try CatalogueMapping.document(
            fromCatalogue: try object(#"{"id":"d","fair_id":"f"}"#), partner: "p",
            among: Kinds(Kinds.standard.all + [fair]))
        #expect(document.owner == Owner(fair, "f"))
    }

    private func entry(
        _ text: String, artworkIDs: [String] = [], pictures: [ObjectList: [JSONObject]] = [:]
    ) throws -> CatalogueEntry {
        CatalogueEntry(body: try object(text), artworkIDs: artworkIDs, pictures: pictures)
    }

    @Test func bodiesFromOtherServersAreMappedToACatalogue() throws {
        let artwork = CatalogueMapping.object(
            .artwork,
            toCatalogue: try entry(
                #"{"id":"x","title":"T","date":"1900","inventory_id":"7","dimensions":{"in":"3 in","cm":"7 cm"},"artist":{"id":"a","name":"A"},"images":[{"id":"i","image_url":"http://h/:v.jpg","image_versions":["larger"],"position":1,"is_default":true}]}"#
            ))
        #expect(
            artwork.canonicalText
                == #"{"accession_number":"7","artist_ids":["a"],"date_text":"1900","dimensions":{"cm":"7 cm"},"dimensions_text":"3 in","id":"x","images":[{"id":"i","image_versions":["larger"],"is_primary":true,"url":"http://h/:v.jpg"}],"title":"T"}"#
        )
        let addressed = CatalogueMapping.object(
            .artwork,
            toCatalogue: try entry(
                #"{"id":"x","images":[{"id":"i","image_urls":{"larger":"https://h/1.jpg","square":"https://h/2.jpg"}}]}"#
            ))
        #expect(
            addressed.canonicalText
                == #"{"artist_ids":[],"id":"x","images":[{"id":"i","image_versions":["square","larger"],"urls":{"larger":"https://h/1.jpg","square":"https://h/2.jpg"}}]}"#
        )
        let imported = CatalogueMapping.entry(.artwork, fromCatalogue: addressed).body
        #expect(
            imported["images"]?.canonicalText
                == #"[{"id":"i","image_url":"artwork/x/image/i/larger.jpg","image_versions":["square","larger"],"position":1,"source_urls":{"larger":"https://h/1.jpg","square":"https://h/2.jpg"}}]"#
        )
        let show = CatalogueMapping.object(
            .show,
            toCatalogue: try entry(
                #"{"id":"s","start_at":"1996-01-01T00:00:00Z","description":"d","location":{"id":"l","city":"C"},"artists":[{"id":"a","name":"A"}]}"#,
                artworkIDs: ["w"],
                pictures: [.installationShots: [try object(#"{"id":"i","image_url":"http://h/i.jpg"}"#)]]))
        #expect(
            show.canonicalText
                == #"{"artist_ids":["a"],"artwork_ids":["w"],"blurb":"d","id":"s","images":[{"id":"i","url":"http://h/i.jpg"}],"location_id":"l","start_date":"1996-01-01T00:00:00Z"}"#
        )
        let artist = CatalogueMapping.object(
            .artist,
            toCatalogue: try entry(
                #"{"id":"a","birthday":"1853","deathday":"1890-07-29","sortable_id":"gogh"}"#))
        #expect(
            artist.canonicalText
                == #"{"birth_year":1853,"deathday":"1890-07-29","id":"a","sort_name":"gogh"}"#)
    }

    @Test(arguments: [#"{"show_id":"s"}"#, #"{"id":"d"}"#, #"{"id":"d","show_id":" ","artist_id":null}"#])
    func aDocumentOfACatalogueNeedsAnIdAndAnOwner(text: String) throws {
        let source = try object(text)
        #expect(throws: PayloadError.self) {
            try CatalogueMapping.document(fromCatalogue: source, partner: "p")
        }
    }
}

@Suite struct CatalogueOrderTests {
    @Test func numericIdsAreOrderedFirstAndByValue() {
        let sorted = [
            "0", "00", "1", "007", "7", "9", "10", "0099", "100", "99999999999999999999",
            "100000000000000000000", "",
            "-1", "1.0", "1a", "A", "a", "aa", "b", "e\u{301}", "\u{E9}", "é1", "中", "😀",
        ]
        #expect(
            CatalogueOrder.sorted(sorted.reversed()).map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
        for (index, left) in sorted.enumerated() {
            for (other, right) in sorted.enumerated() {
                #expect(CatalogueOrder.precedes(left, right) == (index < other), "\(left) \(right)")
            }
        }
    }
}
