/// Something that a catalogue's objects say otherwise than the API: how it is mapped, and how it is mapped back.
struct CatalogueField: Sendable {
    let toAPI: @Sendable (inout JSONObject) -> Void
    let toCatalogue: @Sendable (inout JSONObject) -> Void

    /// What is mapped of a kind, in order; the way back takes the reverse order. Kinds that aren't named have every field
    /// under its own name.
    static func all(of kind: Kind) -> [CatalogueField] { table[kind] ?? [] }

    private static let table: [Kind: [CatalogueField]] = [
        .artist: [renamed("sort_name", "sortable_id"), renamed("dates_text", "years"), years],
        .artwork: [
            renamed("date_text", "date"), renamed("accession_number", "inventory_id"), dimensions, artists,
            pictures,
            CatalogueField(toAPI: { $0 = ServingForm.artwork($0) ?? $0 }, toCatalogue: { _ in }),
        ],
        .show: [
            renamed("start_date", "start_at"), renamed("end_date", "end_at"),
            renamed("blurb", "description"), artists,
            // A show of a server may hold its location.
            CatalogueField(
                toAPI: { $0 = ServingForm.show($0) ?? $0 }, toCatalogue: { $0 = ServingForm.show($0) ?? $0 }),
        ],
    ]

    private static func renamed(_ catalogue: String, _ api: String) -> CatalogueField {
        CatalogueField(
            toAPI: { $0.rename(catalogue, to: api) }, toCatalogue: { $0.rename(api, to: catalogue) })
    }

    /// `birth_year` and `death_year` → `birthday` and `deathday`. A year in words is a year; a whole date keeps the API's name,
    /// since a year would say less.
    private static let years = CatalogueField {
        $0.rename("birth_year", to: "birthday")
        $0.rename("death_year", to: "deathday")
    } toCatalogue: { object in
        for (field, year) in [("birthday", "birth_year"), ("deathday", "death_year")] {
            if case .string(let text)? = object[field] {
                guard let number = JSONNumber(lexeme: text), number.intValue != nil else { continue }
                object[field] = .number(number)
            }
            object.rename(field, to: year)
        }
    }

    /// `dimensions_text` → `dimensions.in`, beside whatever else an object of that name holds.
    private static let dimensions = CatalogueField { object in
        guard let text = object.removeValue(forKey: "dimensions_text") else { return }
        var dimensions = object["dimensions"]?.objectValue ?? JSONObject()
        dimensions["in"] = text
        object["dimensions"] = .object(dimensions)
    } toCatalogue: { object in
        guard case .object(var dimensions)? = object["dimensions"],
            let text = dimensions.removeValue(forKey: "in")
        else { return }
        object["dimensions_text"] = text
        object["dimensions"] = dimensions.isEmpty ? nil : .object(dimensions)
    }

    /// `artist_ids` → `artists[{id}]`, in order, repetitions included; something else than an array travels. Back, `artists[{id}]`
    /// or else `artist{id}` → `artist_ids`, which catalogues always have.
    private static let artists = CatalogueField { object in
        guard case .array(let elements)? = object["artist_ids"] else { return }
        object["artist_ids"] = nil
        let artists = elements.compactMap(\.idText)
        object["artists"] = .array(artists.map { .object(JSONObject([("id", .string($0))])) })
    } toCatalogue: { object in
        var artists: [String]?
        if case .array(let elements)? = object["artists"] {
            artists = elements.compactMap { $0.objectValue?["id"]?.idText ?? $0.idText }
            object["artists"] = nil
        }
        if let artist = object["artist"]?.objectValue?["id"]?.idText {
            if artists?.isEmpty ?? true { artists = [artist] }
            if artists?.contains(artist) ?? false { object["artist"] = nil }
        }
        if let artists {
            object["artist_ids"] = CatalogueMapping.array(artists)
        } else if object["artist_ids"] == nil {
            object["artist_ids"] = []
        }
    }

    /// The pictures that an object's own JSON has; catalogues always have the field.
    private static let pictures = CatalogueField { object in
        guard case .array(let images)? = object["images"] else { return }
        let id = object["id"]?.idText ?? ""
        object["images"] = CatalogueImage.each(images) { image, position in
            CatalogueImage.image(fromCatalogue: image, position: position) {
                FileReference.picture(artwork: id, image: $0)
            }
        }
    } toCatalogue: { object in
        guard case .array(let images) = object["images"] ?? [] else { return }
        object["images"] = CatalogueImage.each(images, CatalogueImage.image(toCatalogue:position:))
    }
}

extension JSONObject {
    fileprivate mutating func rename(_ name: String, to other: String) {
        if let value = removeValue(forKey: name) { self[other] = value }
    }
}

/// Maps one picture of a catalogue to the API's picture and back.
enum CatalogueImage {
    private static let names = [
        (catalogue: "url", api: "source_url"), ("width", "original_width"), ("height", "original_height"),
        ("is_primary", "is_default"),
    ]
    /// A catalogue has no formats of its own; every format is drawn or scaled on demand.
    private static let versions = JSONValue.array(ImageEntry.formats.map(JSONValue.string))

    /// The field of a catalogue's object that holds what a list of pictures does: the cover is one picture without a position.
    static func field(of list: ObjectList) -> String { list == .cover ? "cover" : "images" }

    /// A list's pictures, each id once. One without an id can't be a picture of the API; it is parked with the field.
    static func images(_ value: JSONValue?, of list: ObjectList, owner: String) -> [JSONObject] {
        let isCover = list == .cover
        var seen: Set<JSONValue> = [], result: [JSONObject] = []
        for case .object(let source) in isCover ? [value].compactMap(\.self) : value?.arrayValue ?? [] {
            guard let id = source["id"]?.idText, seen.insert(.string(id)).inserted else { continue }
            result.append(
                image(fromCatalogue: source, position: isCover ? nil : result.count + 1) {
                    FileReference.picture(show: owner, image: $0)
                })
        }
        return result
    }

    /// What the catalogue's field holds for a list's pictures, of which there are some.
    static func value(_ images: [JSONObject], of list: ObjectList) -> JSONValue {
        list == .cover
            ? .object(image(toCatalogue: images[0], position: nil))
            : each(images.map(JSONValue.object), image(toCatalogue:position:))
    }

    /// Maps what is an object; anything else stays.
    static func each(_ images: [JSONValue], _ map: (JSONObject, Int) -> JSONObject) -> JSONValue {
        .array(
            images.enumerated().map { index, image in
                if case .object(let object) = image { .object(map(object, index + 1)) } else { image }
            })
    }

    /// - Parameters:
    ///   - position: from 1; `nil` for a picture that stands alone.
    ///   - address: our own address for an image's id.
    static func image(
        fromCatalogue source: JSONObject, position: Int?, address: (String) -> String
    ) -> JSONObject {
        var image = source
        for (catalogue, api) in names { image.rename(catalogue, to: api) }
        if let id = source["id"]?.idText {
            let own = address(id)
            image["image_url"] = .string(own)
            // Tiles, too, are served or drawn under our own address.
            if source["tile_size"] != nil {
                image.rename("tile_base_url", to: "source_tile_base_url")
                image["tile_base_url"] = .string(FileReference.tiles(beside: own))
            }
        }
        if let position, source["position"] == nil { image["position"] = .number(JSONNumber(position)) }
        if source["image_versions"] == nil { image["image_versions"] = versions }
        return image
    }

    static func image(toCatalogue image: JSONObject, position: Int?) -> JSONObject {
        var result = image
        let address = result.removeValue(forKey: "image_url")
        // A picture that came from no catalogue is where its server has it; an address of our own says nothing.
        if result["source_url"] == nil, let url = address?.stringValue, isAbsolute(url) {
            result["source_url"] = address
        }
        if let tiles = result["tile_base_url"]?.stringValue, !isAbsolute(tiles), result["tile_size"] != nil {
            result["tile_base_url"] = nil
        }
        result.rename("source_tile_base_url", to: "tile_base_url")
        if let position, result["position"] == .number(JSONNumber(position)) { result["position"] = nil }
        if result["image_versions"] == versions { result["image_versions"] = nil }
        for (catalogue, api) in names { result.rename(api, to: catalogue) }
        return result
    }

    private static func isAbsolute(_ url: String) -> Bool { url.hasPrefix("//") || url.contains("://") }
}
