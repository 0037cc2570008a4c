import Catalogue
import Testing

@testable import MirrorStore

@Suite("What visitors may see")
struct FaceTests {
    private let artwork: JSONObject = [
        "id": "a", "title": "T", "price": "1", "internal_display_price": "2", "price_hidden": false,
        "Price_Note": "3", "confidential_notes": "4", "availability": "sold",
        "edition_sets": [["id": "e", "prices": ["5"], "price_hidden": true, "editions": "3"]],
    ]

    @Test func `Prices and confidential notes are hidden from visitors, also in edition sets`() {
        let visible = Face.visitors.visible(artwork, of: .artwork)
        #expect(visible.keys == ["availability", "edition_sets", "id", "title"])
        #expect(visible["edition_sets"] == [["id": "e", "editions": "3"]])
        #expect(Face.staff.visible(artwork, of: .artwork) == artwork)
        #expect(Face.visitors.visible(["a"], of: "price", in: .artwork) == nil)
        #expect(Face.visitors.visible("x", of: "title", in: .artwork) == "x")
    }

    @Test(arguments: [
        (Kind.artwork, "published", JSONValue.bool(false), false), (.artwork, "published", .bool(true), true),
        (.artwork, "published", .null, true), (.artwork, "published", "false", false),
        (.artwork, "published", 0, false), (.artwork, "published", "maybe", true),
        (.album, "private", "true", false),
        (.album, "private", .bool(true), false), (.album, "private", .bool(false), true),
        (.album, "private", .null, true), (.show, "private", .bool(true), true), (.user, "id", "u", false),
    ])
    func `Visitors see an object unless it is unpublished, private or the user`(
        _ kind: Kind, _ field: String, _ value: JSONValue, _ isSeen: Bool
    ) {
        #expect(Face.visitors.shows([field: value], of: kind) == isSeen)
        #expect(Face.staff.shows([field: value], of: kind))
    }

    @Test func `Only staff see the mirror's own notes`() {
        #expect(Face.staff.showsNotes && !Face.visitors.showsNotes)
    }

    @Test func `Staff see every row, and visitors those that are not hidden`() {
        #expect(Face.staff.isVisible(.artwork, "o") == "1")
        #expect(Face.visitors.isVisible(.artwork, "o") == "NOT (o.published IS 0)")
        #expect(Face.visitors.isVisible(.album, "m") == "NOT (m.private IS 1)")
        #expect(Face.visitors.isVisible(.show, "o") == "NOT (0)")
    }

    @Test func `The partner's administrator is hidden, the public address is not`() {
        let visible = Face.visitors.visible(
            ["name": "G", "website": "w", "admin": ["email": "e"], "contract_type": "c"], of: .partner)
        #expect(visible.keys == ["name", "website"])
    }

    @Test func `The ids of an album's artworks are hidden, as some may not be published`() {
        let album: JSONObject = ["id": "a", "name": "N", "artwork_ids": ["secret"]]
        #expect(Face.visitors.visible(album, of: .album).keys == ["id", "name"])
        #expect(Face.visitors.visible(["secret"], of: "artwork_ids", in: .album) == nil)
        #expect(Face.staff.visible(album, of: .album) == album)
    }

    @Test func `Only staff filter by availability, and nobody by a hidden field`() {
        #expect(!Face.visitors.offers(.availability) && Face.staff.offers(.availability))
        for field in [
            "sale_message", "list_cost", "insuranceValue", "ADMIN", "admin_notes", "notes", "internal",
        ] {
            #expect(Face.visitors.visible("x", of: field, in: .artwork) == nil, "\(field)")
        }
        for field in ["costume", "salesroom", "department", "evaluation"] {
            #expect(Face.visitors.visible("x", of: field, in: .artwork) == "x", "\(field)")
        }
        #expect(!Face.visitors.offers(.field("price_note")) && Face.visitors.offers(.field("department")))
        #expect(ArtworkQuery(filters: [.availability: "sold"]).filters.isEmpty)
        #expect(ArtworkQuery(face: .staff, filters: [.availability: "sold"]).filters.count == 1)
    }
}
