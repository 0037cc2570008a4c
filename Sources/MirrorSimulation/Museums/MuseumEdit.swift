import Catalogue
import MirrorSync

/// A random change of a museum's catalogue, as one act of its staff.
///
/// An object never names another one that is gone: what names it changes in the same act.
struct MuseumEdit {
    let catalogue: ImitatedCatalogue
    private var random: SplitMix
    private(set) var edits: [ImitatedCatalogue.Edit] = []

    static let departments = ["Prints", "Furniture", "Arms & Armour"]
    private static let media = ["Oak", "Oil on canvas", "Silver, \"gilt\"", "墨, 紙"]

    init(_ catalogue: ImitatedCatalogue, seed: UInt64) {
        self.catalogue = catalogue
        random = SplitMix(seed: seed)
    }

    // MARK: - The first catalogue

    /// Artists, locations, artworks and shows, in this order, as separate acts.
    mutating func first() -> [[ImitatedCatalogue.Edit]] {
        let artists = 3 + random.below(5), locations = 2 + random.below(3), artworks = 5 + random.below(20)
        var acts = (1...artists).map { [.put(.artist, artist("\($0)"))] as [ImitatedCatalogue.Edit] }
        acts += (1...locations).map {
            [.put(.location, ["id": .string("\($0)"), "name": .string("Room \($0)")])]
        }
        let artistIDs = (1...artists).map(String.init), locationIDs = (1...locations).map(String.init)
        acts += (1...artworks).map { [.put(.artwork, artwork("\($0)", artistIDs, locationIDs))] }
        for number in 0..<random.below(4) {
            let ids = random.some(of: (1...artworks).map(String.init), percent: 30)
            acts.append([.put(.show, show("\(number + 1)", ids, artistIDs))])
        }
        return acts
    }

    private mutating func artist(_ id: String) -> JSONObject {
        let first = random.one(of: "Ada", "Bo", "Cleo", "Ødegaard"), last = "Maker\(random.below(1_000))"
        var artist: JSONObject = [
            "id": .string(id), "name": .string("\(first) \(last)"), "sort_name": .string("\(last), \(first)"),
        ]
        if random.chance(60) {
            artist["nationality"] = "Dutch"
            artist["birth_year"] = .int(1_800 + random.below(100))
        }
        return artist
    }

    private mutating func artwork(_ id: String, _ artists: [String], _ locations: [String]) -> JSONObject {
        var artwork: JSONObject = [
            "id": .string(id), "title": .string(title()), "date_text": "ca. 1890",
            "medium": .string(random.element(of: Self.media) ?? "Oak"), "category": "Chairs",
            "department": .string(random.element(of: Self.departments) ?? "Prints"),
            "accession_number": .string("1900.\(id)"), "public_domain": .bool(random.chance(70)),
            "artist_ids": .array(random.some(of: artists, percent: 35).map(JSONValue.string)),
            "images": .array((0..<random.below(4)).map { _ in picture() }),
        ]
        if random.chance(60) { artwork["location_id"] = random.element(of: locations).map(JSONValue.string) }
        return artwork
    }

    private mutating func show(_ id: String, _ artworks: [String], _ artists: [String]) -> JSONObject {
        [
            "id": .string(id), "name": .string("Show \(random.below(1_000))"), "start_date": "2020-01-01",
            "artwork_ids": .array(artworks.map(JSONValue.string)),
            "artist_ids": .array(random.some(of: artists, percent: 30).map(JSONValue.string)),
        ]
    }

    private mutating func title() -> String {
        random.one(of: "A Made-up Chair", "Study", "茶碗 \"bowl\"", "Chair & <Table>")
            + " \(random.below(10_000))"
    }

    private mutating func picture() -> JSONValue { ["id": .string("i\(random.next() % 1_000_000)")] }

    // MARK: - Changes

    /// Draws the change.
    ///
    /// - Returns: a line for the transcript.
    mutating func draw() -> String {
        let artworks = ids(.artwork)
        guard let id = random.element(of: artworks), var artwork = catalogue.object(.artwork, id) else {
            return add()
        }
        switch random.below(16) {
        case 0...2: return add()
        case 3, 4: return remove(artwork: id)
        case 5, 6: artwork["title"] = .string(title())
        case 7: artwork["medium"] = random.element(of: Self.media).map(JSONValue.string)
        case 8, 9: return rename(random.chance(70) ? .artist : .location)
        case 10: artwork["public_domain"] = .bool(artwork["public_domain"]?.boolValue != true)
        case 11: artwork["images"] = .array((artwork["images"]?.arrayValue ?? []) + [picture()])
        case 12: artwork["images"] = .array(Array((artwork["images"]?.arrayValue ?? []).dropFirst()))
        case 13:
            artwork["location_id"] =
                random.chance(30) ? nil : random.element(of: ids(.location)).map(JSONValue.string)
        case 14:
            artwork["artist_ids"] = .array(random.some(of: ids(.artist), percent: 40).map(JSONValue.string))
        default: return random.chance(50) ? change(.show) : removeArtist()
        }
        edits = [.put(.artwork, artwork)]
        return "artwork \(id) is changed"
    }

    private func ids(_ kind: Kind) -> [String] { catalogue.ids(of: kind).sorted() }

    /// Adds an artwork, possibly one that was removed before, or an artist with it.
    private mutating func add() -> String {
        let known = catalogue.ids(of: .artwork)
        guard let id = random.element(of: (1...60).map(String.init).filter { !known.contains($0) }) else {
            return "nothing is added"
        }
        var artists = ids(.artist)
        if random.chance(25) {
            let new = "\(100 + random.below(20))"
            edits.append(.put(.artist, artist(new)))
            artists = [new]
        }
        edits.append(.put(.artwork, artwork(id, artists, ids(.location))))
        return "artwork \(id) is added"
    }

    private mutating func remove(artwork id: String) -> String {
        edits = leave(id, "artwork_ids", .show) + [.remove(.artwork, id: id)]
        return "artwork \(id) is removed"
    }

    private mutating func removeArtist() -> String {
        guard let id = random.element(of: ids(.artist)) else { return "nothing is removed" }
        edits =
            leave(id, "artist_ids", .artwork) + leave(id, "artist_ids", .show) + [.remove(.artist, id: id)]
        return "artist \(id) is removed"
    }

    /// Takes an id out of all objects of a kind that name it.
    private func leave(_ id: String, _ field: String, _ kind: Kind) -> [ImitatedCatalogue.Edit] {
        ids(kind).compactMap { other in
            guard var object = catalogue.object(kind, other) else { return nil }
            let named = ImitatedCatalogue.ids(object, field)
            guard named.contains(id) else { return nil }
            object[field] = .array(named.filter { $0 != id }.map(JSONValue.string))
            return .put(kind, object)
        }
    }

    private mutating func rename(_ kind: Kind) -> String {
        guard let id = random.element(of: ids(kind)), var object = catalogue.object(kind, id) else {
            return "nothing is renamed"
        }
        if kind == .artist {
            let new = artist(id)
            (object["name"], object["sort_name"]) = (new["name"], new["sort_name"])
        } else {
            object["name"] = .string("Room \(id)\(random.one(of: "a", "b", "c"))")
        }
        edits = [.put(kind, object)]
        return "\(kind.name) \(id) is renamed"
    }

    private mutating func change(_ kind: Kind) -> String {
        let known = ids(kind)
        let id = random.chance(40) ? "\(1 + random.below(5))" : random.element(of: known) ?? "1"
        if known.contains(id), random.chance(30) {
            edits = [.remove(kind, id: id)]
            return "\(kind.name) \(id) is removed"
        }
        edits = [.put(kind, show(id, random.some(of: ids(.artwork), percent: 30), ids(.artist)))]
        return "\(kind.name) \(id) is changed"
    }
}
