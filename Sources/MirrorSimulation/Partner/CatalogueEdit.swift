import Catalogue
import MirrorStore
import MirrorSync

/// Makes random changes in the partner's catalogue, one at a time.
struct CatalogueEdit {
    static let shows = ["s", "t"], albums = ["m", "n"], locations = ["k", "l"]

    static func artworks(_ isHostile: Bool) -> [String] {
        isHostile
            ? ["a", "../../../b", "c');DROP TABLE artwork;--", "<d>&", "e/f g", "\u{430}"]
            : ["a", "b", "c", "d", "e", "f"]
    }

    static func artists(_ isHostile: Bool) -> [String] {
        isHostile ? ["x", "y/../z", "$(z)"] : ["x", "y", "z"]
    }

    /// Few, so that several objects often claim the same slug.
    static let slugs = ["red", "green", "blue"]

    /// The time of the change by the server's clock, in milliseconds since 1970.
    let time: Int
    /// Whether an object may leave its list without a tombstone.
    let omitsTombstones: Bool
    private let artworks: [String], artists: [String]
    /// Appended to names to make them hostile: markup, a terminal escape, SQL, a shell expansion.
    private let suffix: String
    /// Whether an object left its list without a tombstone.
    private(set) var omittedTombstone = false

    init(time: Int, _ traits: PartnerTraits) {
        self.time = time
        omitsTombstones = traits.omitsTombstones
        artworks = Self.artworks(traits.hasHostileNames)
        artists = Self.artists(traits.hasHostileNames)
        suffix = traits.hasHostileNames ? " <script>\u{1B}[31m'; DROP TABLE artwork; --$(id)" : ""
    }

    /// - Returns: the change, for the transcript.
    mutating func apply(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        switch random.below(20) {
        case 0...4: artwork(&catalogue, &random)
        case 5, 6: artist(&catalogue, &random)
        case 7, 8: show(&catalogue, &random)
        case 9: location(&catalogue, &random)
        case 10: album(&catalogue, &random)
        case 11, 12: members(&catalogue, &random)
        case 13: documents(&catalogue, &random)
        case 14: pictures(&catalogue, &random)
        case 15: swapSlugs(&catalogue, &random)
        case 16: rename(&catalogue, &random)
        default: remove(&catalogue, &random)
        }
    }

    private var stamp: JSONValue { .string(Timestamp(seconds: time / 1_000).text) }

    // MARK: - Objects

    private func artwork(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let id = random.element(of: artworks) ?? "a"
        let artists = random.some(of: artists + ["u"], percent: 30)
        var object: JSONObject = [
            "id": .string(id), "title": .string("Work \(random.below(1_000))\(suffix)"),
        ]
        if !artists.isEmpty { object["artists"] = .array(artists.map { .object(["id": .string($0)]) }) }
        let images = random.some(of: ["1", "2"], percent: 30).map { number -> JSONValue in
            var image: JSONObject = [
                "id": .string("\(id)-\(number)"), "image_versions": ["medium", "larger"],
                "image_url": .string("artwork/\(PercentEncoding.encode(id))/image/\(number)/larger.jpg"),
            ]
            // Then another picture may become the first one although the entry of the other stays the same.
            if number == "2", !artists.isEmpty { image["is_default"] = .bool(true) }
            return .object(image)
        }
        if !images.isEmpty { object["images"] = .array(images) }
        if random.chance(20) { object["edition_sets"] = [["id": "1", "editions": "3"]] }
        let slug = slug(&object, &random)
        var body = PartnerCatalogue.Body(object)
        body.artists = artists
        return put(.artwork, id, body, slug, &catalogue, &random)
    }

    private func artist(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let id = random.element(of: artists + ["u"]) ?? "x"
        var object: JSONObject = [
            "id": .string(id), "name": .string("Artist \(random.below(1_000))\(suffix)"),
        ]
        let slug = slug(&object, &random)
        return put(.artist, id, PartnerCatalogue.Body(object), slug, &catalogue, &random)
    }

    private func show(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let id = random.element(of: Self.shows) ?? "s"
        let artists = random.some(of: artists + ["u"], percent: 25)
        var object: JSONObject = ["id": .string(id), "name": .string("Show \(random.below(1_000))")]
        if !artists.isEmpty { object["artists"] = .array(artists.map { .object(["id": .string($0)]) }) }
        let location = random.chance(50) ? random.element(of: Self.locations + ["v"]) : nil
        if let location { object["location_id"] = .string(location) }
        let isRunning = random.chance(30)
        if isRunning { object["status"] = "running" }
        var end: Int?
        if random.chance(70) {
            // At noon on a day before or after now.
            let day = time / 86_400_000 - 150 + random.below(200)
            let noon = day * 86_400 + 43_200
            end = noon
            object["end_at"] = .string(Timestamp(seconds: noon).text)
        }
        let slug = slug(&object, &random)
        var body = PartnerCatalogue.Body(object)
        (body.artists, body.location, body.end, body.isRunning) = (artists, location, end, isRunning)
        return put(.show, id, body, slug, &catalogue, &random)
    }

    private func location(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let id = random.element(of: Self.locations + ["v"]) ?? "k"
        var object: JSONObject = ["id": .string(id), "name": .string("Room \(random.below(1_000))")]
        let slug = slug(&object, &random, isDated: false)
        return put(.location, id, PartnerCatalogue.Body(object), slug, &catalogue, &random)
    }

    private func album(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let own = catalogue.ids(.album).filter { $0.hasPrefix("s") }
        let id = random.element(of: Self.albums + own) ?? "m"
        var object: JSONObject = ["id": .string(id), "name": .string("there \(random.below(1_000))")]
        if random.chance(30) { object["description"] = .string("said \(random.below(10))") }
        let slug = slug(&object, &random)
        return put(.album, id, PartnerCatalogue.Body(object), slug, &catalogue, &random)
    }

    /// Draws a slug and a time of the last update, either of which may be missing, and sets both in the object.
    private func slug(_ object: inout JSONObject, _ random: inout SplitMix, isDated: Bool = true)
        -> (String?, Int?)
    {
        let slug = random.chance(50) ? random.element(of: Self.slugs) : nil
        if let slug { object["slug"] = .string(slug) }
        guard isDated, random.chance(85) else { return (slug, nil) }
        object["updated_at"] = stamp
        return (slug, time / 1_000)
    }

    private func put(
        _ kind: Kind, _ id: String, _ body: PartnerCatalogue.Body, _ slug: (String?, Int?),
        _ catalogue: inout PartnerCatalogue, _ random: inout SplitMix
    ) -> String {
        var body = body
        (body.slug, body.updated) = slug
        // Objects with these ids are never listed: others can only refer to them.
        let isListed = id != "u" && id != "v"
        catalogue.put(kind, id, body, isListed: isListed)
        if isListed { catalogue.touch(kind, id, at: time) }
        return "put \(kind.name) \(body.text)"
    }

    private func swapSlugs(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let kind = random.one(of: Kind.artwork, .artist, .show)
        let ids = Array(random.some(of: catalogue.ids(kind), percent: 60).prefix(2))
        guard ids.count == 2, let one = catalogue.body(kind, ids[0]), let other = catalogue.body(kind, ids[1])
        else { return "swap nothing" }
        for (id, body, slug) in [(ids[0], one, other.slug), (ids[1], other, one.slug)] {
            guard var object = try? JSONValue(parsing: body.text).objectValue else { continue }
            object["slug"] = slug.map(JSONValue.string)
            if random.chance(70) { object["updated_at"] = stamp }
            var changed = PartnerCatalogue.Body(object)
            changed.updated = object["updated_at"]?.stringValue.flatMap { Timestamp($0)?.seconds }
            changed.slug = slug
            (changed.artists, changed.location) = (body.artists, body.location)
            (changed.end, changed.isRunning) = (body.end, body.isRunning)
            catalogue.put(kind, id, changed)
            catalogue.touch(kind, id, at: time)
        }
        return "swap slugs of \(kind.name) \(ids)"
    }

    /// Gives an object another id: it is removed under the old id and created under the new one.
    private func rename(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let kind = random.one(of: Kind.artwork, .artist)
        let free = (kind == .artwork ? artworks : artists).filter { catalogue.body(kind, $0) == nil }
        guard let old = random.element(of: catalogue.ids(kind)), let new = random.element(of: free),
            let body = catalogue.body(kind, old),
            var object = try? JSONValue(parsing: body.text).objectValue
        else { return "rename nothing" }
        object["id"] = .string(new)
        var renamed = PartnerCatalogue.Body(object)
        (renamed.slug, renamed.updated, renamed.artists) = (body.slug, body.updated, body.artists)
        catalogue.remove(kind, old)
        catalogue.touch(kind, old, at: time)
        catalogue.put(kind, new, renamed)
        catalogue.touch(kind, new, at: time)
        return "rename \(kind.name) \(old) to \(new)"
    }

    // MARK: - Lists under objects

    private func owner(
        _ kinds: [Kind], _ catalogue: PartnerCatalogue, _ random: inout SplitMix
    ) -> (Kind, String)? {
        guard let kind = random.element(of: kinds), let id = random.element(of: catalogue.ids(kind)) else {
            return nil
        }
        return (kind, id)
    }

    private func members(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        guard let (kind, id) = owner([.show, .album, .location], catalogue, &random) else { return "nothing" }
        // No artwork has the id "w".
        let members = random.some(of: artworks + ["w"], percent: 35)
        catalogue.lists[PartnerCatalogue.artworks(kind, id)] = members
        catalogue.touch(kind, id, at: time)
        return "members of \(kind.name) \(id) \(members)"
    }

    private func documents(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        guard let (kind, id) = owner([.show, .artist], catalogue, &random) else { return "nothing" }
        let ids = random.some(of: ["1", "2"], percent: 50)
        catalogue.lists[PartnerCatalogue.documents(kind, id)] = ids
        for document in ids {
            let path = PartnerCatalogue.document(kind, id, document)
            if catalogue.objects[path] != nil, random.chance(50) { continue }
            catalogue.objects[path] = PartnerCatalogue.Body([
                "id": .string(document), "title": .string("Paper \(random.below(1_000))"),
            ])
        }
        catalogue.touch(kind, id, at: time)
        return "documents of \(kind.name) \(id) \(ids)"
    }

    private func pictures(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        guard let (_, id) = owner([.show], catalogue, &random) else { return "nothing" }
        let cover = random.chance(50)
        let all = random.some(of: ["1", "2"], percent: 50).prefix(cover ? 1 : 2)
        catalogue.pictures[PartnerCatalogue.pictures(id, cover: cover)] = all.map { number in
            PartnerCatalogue.Body([
                "id": .string("\(id)-\(number)"), "image_versions": ["larger"],
                "caption": .string("View \(random.below(1_000))"),
                "image_url": .string("show/\(id)/image/\(number)/larger.jpg"),
            ])
        }
        catalogue.touch(.show, id, at: time)
        return "pictures of show \(id) \(cover) \(all)"
    }

    // MARK: - Deletions

    private mutating func remove(_ catalogue: inout PartnerCatalogue, _ random: inout SplitMix) -> String {
        let kinds: [Kind] = [.artwork, .artwork, .artist, .show, .album, .location]
        guard let (kind, id) = owner(kinds, catalogue, &random) else { return "remove nothing" }
        // Deleted albums are never kept at their URLs.
        let stays = kind != .album && random.chance(30)
        catalogue.remove(kind, id, stays: stays)
        if kind == .artwork, random.chance(50) {
            for (owner, name) in [Kind.show, .album, .location].flatMap({ kind in
                catalogue.ids(kind).map { (kind, $0) }
            }) {
                let list = PartnerCatalogue.artworks(owner, name)
                guard catalogue.lists[list]?.contains(id) == true else { continue }
                catalogue.lists[list]?.removeAll { $0 == id }
                catalogue.touch(owner, name, at: time)
            }
        }
        let isSilent = omitsTombstones && random.chance(50)
        if isSilent { omittedTombstone = true } else { catalogue.touch(kind, id, at: time) }
        return "remove \(kind.name) \(id)\(stays ? ", stays" : "")\(isSilent ? ", silently" : "")"
    }
}
