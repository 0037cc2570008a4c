import Catalogue
import Testing

/// A field's type in the API, and the values that are accepted for it.
private enum FieldType {
    case text
    /// A text or a number.
    case loose
    /// A text, a number, an array or an object.
    case any
    case integer
    case real
    case flag
    case texts
    /// An object of addresses by format.
    case addresses
}

@Suite struct PayloadTests {
    private static let artwork: [(String, FieldType)] = [
        ("slug", .text), ("title", .text), ("display", .text), ("category", .text), ("medium", .text),
        ("date", .text), ("published", .flag), ("availability", .text), ("price", .loose),
        ("internal_display_price", .loose), ("price_hidden", .flag), ("metric", .text), ("width", .real),
        ("height", .real), ("depth", .real), ("diameter", .real), ("dimensions.in", .text),
        ("dimensions.cm", .text), ("series", .text), ("signature", .text), ("provenance", .text),
        ("literature", .text), ("exhibition_history", .text), ("additional_information", .text),
        ("image_rights", .text), ("inventory_id", .loose), ("confidential_notes", .text),
        ("updated_at", .text),
    ]
    private static let partner: [(String, FieldType)] = [
        ("slug", .text), ("name", .text), ("website", .text), ("email", .text), ("type", .text),
        ("artworks_count", .integer), ("artists_count", .integer), ("partner_show_documents_count", .integer),
        ("artist_documents_count", .integer), ("region", .text), ("contract_type", .text),
        ("relative_size", .real), ("founding_partner", .flag), ("default_profile_id", .loose),
        ("default_profile_public", .flag), ("subscription_plans_names", .texts), ("admin.id", .loose),
        ("admin.name", .text), ("admin.email", .text),
    ]
    private static let artist: [(String, FieldType)] = [
        ("slug", .text), ("name", .text), ("sortable_id", .text), ("display_name", .text), ("first", .text),
        ("middle", .text), ("last", .text), ("years", .text), ("birthday", .loose), ("deathday", .loose),
        ("nationality", .text), ("hometown", .text), ("awards", .text), ("biography", .text),
        ("blurb", .text),
        ("statement", .text), ("image_url", .text), ("updated_at", .text),
    ]
    private static let show: [(String, FieldType)] = [
        ("slug", .text), ("name", .text), ("status", .text), ("start_at", .text), ("end_at", .text),
        ("description", .text), ("updated_at", .text),
    ]
    private static let location: [(String, FieldType)] = [
        ("slug", .text), ("name", .text), ("address", .text), ("address_2", .text), ("city", .text),
        ("state", .text), ("postal_code", .loose), ("country", .text), ("phone", .loose),
        ("geo_point.lat", .real), ("geo_point.lng", .real),
    ]
    private static let editionSet: [(String, FieldType)] = [
        ("edition_size", .any), ("editions", .any), ("available_editions", .any), ("artist_proofs", .any),
        ("prototypes", .any), ("availability", .text), ("dimensions.in", .text), ("dimensions.cm", .text),
        ("duration", .loose), ("prices", .any), ("price_hidden", .flag),
    ]
    private static let image: [(String, FieldType)] = [
        ("image_url", .text), ("image_versions", .texts), ("is_default", .flag),
        ("caption", .text), ("aspect_ratio", .real), ("original_width", .integer),
        ("original_height", .integer),
        ("max_tiled_width", .integer), ("max_tiled_height", .integer), ("tile_size", .integer),
        ("tile_base_url", .text), ("tile_format", .text), ("tile_overlap", .integer),
        ("image_urls", .addresses),
    ]

    @Test func everyFieldOfEveryKindIsReadTolerantly() throws {
        try check(Artwork.self, Self.artwork)
        try check(Partner.self, Self.partner)
        try check(User.self, [("name", .text), ("type", .text), ("email", .text)])
        try check(Artist.self, Self.artist)
        try check(Show.self, Self.show)
        try check(Location.self, Self.location)
        try check(
            Album.self,
            [
                ("slug", .text), ("name", .text), ("description", .text), ("private", .flag),
                ("updated_at", .text),
            ])
        try check(EditionSet.self, Self.editionSet)
        try check(ImageEntry.self, Self.image)
        try check(
            Document.self, [("title", .text), ("filename", .text), ("size", .integer), ("uri", .text)])
    }

    /// Checks each field separately, with values that are accepted, absent, or rejected with one warning.
    private func check<Object: Payload>(_ type: Object.Type, _ table: [(String, FieldType)]) throws {
        let columns = table.map { $0.0.replacing(".", with: "_") }
        #expect(Object.columns.map(\.name) == columns, "\(Object.kind)")
        for (index, (field, fieldType)) in table.enumerated() {
            for (value, expected) in Self.cases(fieldType) {
                var warnings: [FieldWarning] = []
                let object = try Object(Self.object(field, value), warnings: &warnings)
                let comment: Comment = "\(Object.kind).\(field) of \(value.canonicalText)"
                #expect(object.values.count == table.count, comment)
                for (other, read) in object.values.enumerated() {
                    #expect(read == (other == index ? expected ?? .null : .null), comment)
                    #expect(object[columns[other]] == read, comment)
                }
                if expected == nil {
                    #expect(warnings.count == 1, comment)
                    #expect(warnings.first?.field == field)
                    #expect(warnings.first?.kind == Object.kind)
                    #expect(warnings.first?.id == "x")
                } else {
                    #expect(warnings.isEmpty, comment)
                }
                #expect(object.json == Self.object(field, value))
            }
        }
    }

    private static func object(_ field: String, _ value: JSONValue) -> JSONObject {
        let path = field.split(separator: ".").map(String.init)
        let member: JSONValue = path.count > 1 ? .object(JSONObject([(path[1], value)])) : value
        return JSONObject([("id", "x"), (path[0], member)])
    }

    /// Received values with the value that is read; `nil` for none and a warning.
    private static func cases(_ type: FieldType) -> [(JSONValue, FieldValue?)] {
        let absent: [(JSONValue, FieldValue?)] = [
            (.null, .null), ("", .null), (" \t\r\n", .null), ("\u{3000}\u{A0}", .null),
        ]
        let half = number("1.5")
        switch type {
        case .text:
            return absent + [
                ("a", .text("a")), (" a ", .text(" a ")), ("1", .text("1")), (1, nil), (true, nil), ([], nil),
                ([:], nil),
            ]
        case .loose:
            return absent + [
                ("a", .text("a")), (number("1.50"), .text("1.50")), (false, nil), ([1], nil), ([:], nil),
            ]
        case .any:
            return absent + [
                ("a", .text("a")), (5, .text("5")), (["b", 1], .text(#"["b",1]"#)),
                (["a": 1], .text(#"{"a":1}"#)),
                (true, nil),
            ]
        case .integer:
            return absent + [
                (7, .integer(7)), (number("7.0"), .integer(7)), ("7", .integer(7)), (" -7 ", .integer(-7)),
                (half, nil), ("1.5", nil), ("seven", nil), ("0x7", nil), (number("1e30"), nil), (true, nil),
                ([7], nil), ([:], nil),
            ]
        case .real:
            return absent + [
                (7, .real(7)), (half, .real(1.5)), ("1.5", .real(1.5)), (" 1e2\n", .real(100)), ("1,5", nil),
                ("1.5 in", nil), ("nan", nil), (number("1e999"), nil), (false, nil), ([], nil), ([:], nil),
            ]
        case .flag:
            return absent + [
                (true, .integer(1)), (false, .integer(0)), ("true", .integer(1)), (" False ", .integer(0)),
                (1, .integer(1)), (0, .integer(0)), ("0", .integer(0)), (2, nil), (half, nil), ("maybe", nil),
                ([], nil), ([:], nil),
            ]
        case .texts:
            return absent + [
                (["a", "b"], .text(#"["a","b"]"#)), (["a", " ", .null], .text(#"["a"]"#)), ([], .text("[]")),
                ("a", nil), (1, nil), ([:], nil),
            ]
        // Usable addresses change the offered formats, too: see the tests of pictures.
        case .addresses:
            return absent + [([:], .null), (["larger": ""], .null), ("a", nil), (1, nil), ([], nil)]
        }
    }

    private static func number(_ lexeme: String) -> JSONValue {
        JSONNumber(lexeme: lexeme).map(JSONValue.number) ?? .null
    }

    @Test(arguments: [
        #"{}"#, #"{"id":null}"#, #"{"id":""}"#, #"{"id":"  "}"#, #"{"id":{}}"#, #"{"id":["x"]}"#,
        #"{"id":true}"#,
        "null", "[]", "\"x\"", "1",
    ])
    func aPayloadWithoutAnIdIsRejected(text: String) throws {
        let value = try JSONValue(parsing: text)
        var warnings: [FieldWarning] = []
        #expect(throws: PayloadError.self) { try Artwork(value, warnings: &warnings) }
        #expect(throws: PayloadError.self) { try Location(value, warnings: &warnings) }
        #expect(throws: PayloadError.self) { try ImageEntry(value, warnings: &warnings) }
    }

    private func read<Object: Payload>(_ type: Object.Type, _ text: String) throws -> (Object, [FieldWarning])
    {
        var warnings: [FieldWarning] = []
        let object = try Object(JSONValue(parsing: text), warnings: &warnings)
        return (object, warnings)
    }

    @Test func aNumericIdIsReadAsItsSpelling() throws {
        #expect(try read(Artwork.self, #"{"id":42}"#).0.id == "42")
    }

    @Test func unknownFieldsOfAPayloadAreKept() throws {
        let text = #"{"brand_new":{"a":[1.50]},"id":"x","title":7}"#
        let (artwork, warnings) = try read(Artwork.self, text)
        #expect(artwork.json.canonicalText == text)
        #expect(warnings.map(\.description) == ["artwork x: title should be text, is number"])
    }

    @Test(
        arguments: [
            (
                #"{"id":"x","artists":[{"id":"b"},{"id":"a","name":"A"},{"id":"b"},7,"c"]}"#,
                ["b", "a", "7", "c"], 0
            ),
            (#"{"id":"x","artists":[{"id":"b"},{},null,{"id":" "}]}"#, ["b"], 3),
            (#"{"id":"x","artist":{"id":"z","name":"Z"}}"#, ["z"], 0),
            (#"{"id":"x","artists":[{"id":"b"}],"artist":{"id":"z"}}"#, ["b"], 0),
            (#"{"id":"x","artists":[],"artist":{"id":"z"}}"#, ["z"], 0),
            (#"{"id":"x","artists":"b","artist":"z"}"#, [], 2), (#"{"id":"x","artists":null}"#, [], 0),
            (#"{"id":"x","artists":[{"id":"\u00e9"},{"id":"e\u0301"}]}"#, ["\u{E9}", "e\u{301}"], 0),
            (#"{"id":"x"}"#, [], 0),
        ] as [(String, [String], Int)])
    func theArtistsOfAnArtworkAreReadInOrderAndOnce(text: String, ids: [String], warned: Int) throws {
        let (artwork, warnings) = try read(Artwork.self, text)
        #expect(artwork.artistIDs.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
        #expect(warnings.count == warned)
    }

    @Test func anUnreadablePartDoesNotAffectTheOtherParts() throws {
        let (artwork, warnings) = try read(
            Artwork.self,
            #"{"id":"x","images":[{"id":"i"},{"image_url":"u"},3,{"id":"j","position":"2","caption":1}],"edition_sets":[{},{"id":"e","editions":"5"}]}"#
        )
        #expect(artwork.images.map(\.id) == ["i", "j"])
        #expect(artwork.images.last?.position == 2)
        #expect(artwork.editionSets.map(\.id) == ["e"])
        #expect(warnings.map(\.field) == ["images[1]", "images[2]", "caption", "edition_sets[0]"])
        #expect(warnings.map(\.kind) == ["artwork", "artwork", "image", "artwork"])
    }

    @Test(
        arguments: [
            (#"{"id":"s","location":{"id":"l","city":"C"},"location_id":"m"}"#, "l"),
            (#"{"id":"s","location_id":"m"}"#, "m"), (#"{"id":"s","location":{},"location_id":5}"#, "5"),
            (#"{"id":"s"}"#, nil), (#"{"id":"s","location_id":" "}"#, nil),
        ] as [(String, String?)])
    func aShowsLocationIsReadFromTheObjectOrElseTheId(text: String, id: String?) throws {
        #expect(try read(Show.self, text).0.locationID == id)
    }

    @Test func theReferencesOfShowsAndAlbumsAreRead() throws {
        let (show, _) = try read(
            Show.self, #"{"id":"s","artists":[{"id":"a"},"b"],"partner":{"id":"p"},"location":{"id":"l"}}"#)
        #expect(show.artistIDs == ["a", "b"])
        #expect(show.partnerID == "p")
        #expect(try read(Album.self, #"{"id":"a"}"#).0.artworkIDs == nil)
        #expect(try read(Album.self, #"{"id":"a","artwork_ids":[]}"#).0.artworkIDs == [])
        #expect(try read(Album.self, #"{"id":"a","artwork_ids":["w",1,"w"]}"#).0.artworkIDs == ["w", "1"])
    }

    @Test(arguments: [(#""7""#, "7"), ("7", "7"), ("null", nil), ("[]", nil)] as [(String, String?)])
    func aShowsLocationIsAReferenceWithoutAColumn(value: String, id: String?) throws {
        #expect(try read(Show.self, #"{"id":"s","location_id":\#(value)}"#).0.locationID == id)
        #expect(!Show.columns.contains { $0.name == "location_id" })
    }

    @Test(arguments: [("3", 3), (#""3""#, 3), ("1.5", nil)] as [(String, Int?)])
    func aPicturesPositionIsReadWithoutAColumn(value: String, position: Int?) throws {
        #expect(try read(ImageEntry.self, #"{"id":"i","position":\#(value)}"#).0.position == position)
        #expect(!ImageEntry.columns.contains { $0.name == "position" })
    }

    @Test func aPartnersFlagsHaveNoColumn() throws {
        let (partner, warnings) = try read(Partner.self, #"{"id":"p","partner_flags":{"a":"b"}}"#)
        #expect(partner.partnerFlags == ["a": "b"])
        #expect(warnings.isEmpty)
        #expect(!Partner.columns.contains { $0.name == "partner_flags" })
    }

    @Test func aColumnsValueIsReadByNameAndType() throws {
        let (artwork, _) = try read(
            Artwork.self, #"{"id":"x","title":"T","dimensions":{"in":"5 in"},"width":"2.5","published":true}"#
        )
        #expect(artwork.title == "T")
        #expect(artwork.dimensionsIn == "5 in")
        #expect(artwork.text("dimensions_in") == "5 in")
        #expect(artwork.real("width") == 2.5)
        #expect(artwork.published == true)
        #expect(artwork.text("width") == nil)
        #expect(artwork["no column"] == .null)
    }

    @Test func aMistypedInnerObjectCausesOneWarningForAllItsFields() throws {
        let (_, warnings) = try read(Partner.self, #"{"id":"p","admin":7}"#)
        #expect(warnings.map(\.description) == ["partner p: admin should be object, is number"])
    }
}
