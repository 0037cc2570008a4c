import Catalogue
import MirrorSimulation
import MirrorSync

/// A small catalogue made in code, with the peculiarities of real ones.
///
/// The ids are numbers, which museums keep. The SMK puts a space into even ones, and gives no IIIF picture to multiples of five.
struct MuseumCatalogue {
    struct Work: Sendable {
        let id: String
        var title: String?
        /// The ids of its artists.
        var artists: [String] = []
        /// The id of its location.
        var room: String?
        var isOnView = true
        var isFree = true
        var pictures = 1
        var department = "Prints"

        var json: JSONObject {
            var object: JSONObject = [
                "id": .string(id), "accession_number": .string("1900.\(id)"), "on_view": .bool(isOnView),
                "artist_ids": .array(artists.map(JSONValue.string)), "public_domain": .bool(isFree),
                "images": .array((0..<pictures).map { ["id": .string("\(id)-\($0)")] }),
                "department": .string(department), "medium": "Oak",
            ]
            object["title"] = title.map(JSONValue.string)
            object["location_id"] = room.map(JSONValue.string)
            return object
        }
    }

    var works: [Work]

    /// Names by id.
    static let artists = ["11": "Ada Maker", "12": "The Workshop", "13": "Bo Carver"]
    static let rooms = ["21": "Room 1", "22": "Room 2"]
    /// The artworks of each show, by its name.
    static let shows = ["Chairs": ["1", "4"]]

    static let small = MuseumCatalogue(works: [
        Work(id: "1", title: "A Made-up Chair", artists: ["11", "12"], room: "21", pictures: 2),
        Work(id: "2", title: "Study", artists: ["11"], room: "21", isFree: false),
        Work(id: "3", title: nil),
        Work(id: "4", title: "茶碗 \"bowl\"", artists: ["12"], room: "22"),
        // The only one of Bo Carver.
        Work(
            id: "6", title: "Chair & Table", artists: ["13"], room: "22", isOnView: false, pictures: 0),
        Work(id: "8", title: "Night", artists: ["11"], pictures: 3),
        Work(id: "10", title: "A File", artists: ["12"]),
    ])

    /// Artworks without pictures, with ids from 1001 on.
    static func plain(_ count: Int) -> MuseumCatalogue {
        MuseumCatalogue(
            works: (1_001...1_000 + count).map {
                Work(id: String($0), title: "Work \($0)", artists: ["11"], pictures: 0)
            })
    }

    /// The catalogue for an imitation.
    func files() throws -> ImitatedCatalogue {
        try ImitatedCatalogue(
            .embedded([
                "artworks.jsonl": Self.lines(works.map(\.json)),
                "artists.jsonl": Self.lines([
                    [
                        "id": "11", "name": "Ada Maker", "sort_name": "Maker, Ada", "birth_year": 1850,
                        "death_year": 1910, "nationality": "Dutch",
                    ],
                    ["id": "12", "name": "The Workshop"],
                    ["id": "13", "name": "Bo Carver", "sort_name": "Carver, Bo", "birth_year": 1900],
                ]),
                "locations.jsonl": Self.lines(
                    Self.rooms.sorted { $0.key < $1.key }.map {
                        ["id": .string($0.key), "name": .string($0.value)]
                    }),
                "shows.jsonl": Self.lines([
                    [
                        "id": "31", "name": "Chairs", "start_date": "2020-01-01", "end_date": "2020-02-01",
                        "artwork_ids": ["1", "4"], "artist_ids": ["11", "12"],
                    ]
                ]),
            ]))
    }

    private static func lines(_ objects: [JSONObject]) -> String {
        objects.map(\.canonicalText).joined(separator: "\n")
    }
}
