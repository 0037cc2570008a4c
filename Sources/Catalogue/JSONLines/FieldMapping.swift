/// Maps fields that a JSON Lines catalogue and the API write differently, in both directions.
struct FieldMapping: Sendable {
    let toAPI: @Sendable (inout JSONObject) -> Void
    let toCatalogue: @Sendable (inout JSONObject) -> Void

    /// The mappings of a kind, in the order in which they are applied to a catalogue's object.
    ///
    /// Mapping back applies them in reverse order. Kinds without an entry keep all field names.
    static func all(of kind: Kind) -> [FieldMapping] { table[kind] ?? [] }

    private static let table: [Kind: [FieldMapping]] = [
        .artist: [renamed("sort_name", "sortable_id"), renamed("dates_text", "years"), years],
        .artwork: [
            renamed("date_text", "date"), renamed("accession_number", "inventory_id"), dimensions, artists,
            pictures,
            FieldMapping(toAPI: { $0 = ServingForm.artwork($0) ?? $0 }, toCatalogue: { _ in }),
        ],
        .show: [
            renamed("start_date", "start_at"), renamed("end_date", "end_at"),
            renamed("blurb", "description"), artists,
            // A show that came from a server may contain its location as an object.
            FieldMapping(
                toAPI: { $0 = ServingForm.show($0) ?? $0 }, toCatalogue: { $0 = ServingForm.show($0) ?? $0 }),
        ],
    ]

    private static func renamed(_ catalogue: String, _ api: String) -> FieldMapping {
        FieldMapping(
            toAPI: { $0.rename(catalogue, to: api) }, toCatalogue: { $0.rename(api, to: catalogue) })
    }

    /// `birth_year` and `death_year` → `birthday` and `deathday`.
    ///
    /// Mapped back, a text that is a number becomes a year. A full date keeps the API's name, because a year would lose
    /// the month and day.
    private static let years = FieldMapping {
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

    /// `dimensions_text` → `dimensions.in`. Other members of `dimensions` are kept.
    private static let dimensions = FieldMapping { object in
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

    /// `artist_ids` → `artists[{id}]`, in order and with repetitions. A value that is not an array is left unchanged.
    ///
    /// Mapped back, `artists[{id}]`, or else `artist{id}`, becomes `artist_ids`. Objects of a catalogue always have
    /// `artist_ids`.
    private static let artists = FieldMapping { object in
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

    /// The pictures in an object's own JSON. Artworks of a catalogue always have `images`.
    private static let pictures = FieldMapping { object in
        guard case .array(let images)? = object["images"] else { return }
        let id = object["id"]?.idText ?? ""
        object["images"] = ImageMapping.each(images) { image, position in
            ImageMapping.image(fromCatalogue: image, position: position) {
                FileReference.picture(artwork: id, image: $0)
            }
        }
    } toCatalogue: { object in
        guard case .array(let images) = object["images"] ?? [] else { return }
        object["images"] = ImageMapping.each(images, ImageMapping.image(toCatalogue:position:))
    }
}

extension JSONObject {
    fileprivate mutating func rename(_ name: String, to other: String) {
        if let value = removeValue(forKey: name) { self[other] = value }
    }
}

/// Maps pictures of a JSON Lines catalogue to the API's pictures and back.
enum ImageMapping {
    private static let names = [
        (catalogue: "url", api: "source_url"), ("width", "original_width"), ("height", "original_height"),
        ("is_primary", "is_default"), ("urls", "source_urls"),
    ]
    /// All formats: a catalogue's pictures are drawn or scaled to any format on demand.
    private static let versions = JSONValue.array(ImageEntry.formats.map(JSONValue.string))

    /// The field of a catalogue's object that holds a list's pictures. The cover is one picture without a position.
    static func field(of list: ObjectList) -> String { list == .cover ? "cover" : "images" }

    /// A list's pictures as the API has them, each id once.
    ///
    /// A picture without an id is left out; ``CatalogueMapping`` then preserves the original field.
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

    /// The value of the catalogue's field for a list's pictures.
    /// - Parameter images: not empty.
    static func value(_ images: [JSONObject], of list: ObjectList) -> JSONValue {
        list == .cover
            ? .object(image(toCatalogue: images[0], position: nil))
            : each(images.map(JSONValue.object), image(toCatalogue:position:))
    }

    /// Maps the elements that are objects; other elements are kept unchanged.
    static func each(_ images: [JSONValue], _ map: (JSONObject, Int) -> JSONObject) -> JSONValue {
        .array(
            images.enumerated().map { index, image in
                if case .object(let object) = image { .object(map(object, index + 1)) } else { image }
            })
    }

    /// Maps one picture of a catalogue to a picture of the API.
    ///
    /// - Parameters:
    ///   - position: from 1; `nil` for a cover.
    ///   - address: makes the mirror's own address from an image's id.
    static func image(
        fromCatalogue source: JSONObject, position: Int?, address: (String) -> String
    ) -> JSONObject {
        var image = source
        for (catalogue, api) in names { image.rename(catalogue, to: api) }
        if let urls = image.removeValue(forKey: "image_urls"), image["source_urls"] == nil {
            image["source_urls"] = urls
        }
        if let id = source["id"]?.idText {
            let own = address(id)
            image["image_url"] = .string(own)
            // Tiles are served or drawn under the mirror's own address, too.
            if source["tile_size"] != nil {
                image.rename("tile_base_url", to: "source_tile_base_url")
                image["tile_base_url"] = .string(FileReference.tiles(beside: own))
            }
        }
        if let position, source["position"] == nil { image["position"] = .number(JSONNumber(position)) }
        if source["image_versions"] == nil { image["image_versions"] = versions }
        return image
    }

    /// Maps one picture of the API to a picture of a catalogue.
    static func image(toCatalogue image: JSONObject, position: Int?) -> JSONObject {
        var result = image
        let address = result.removeValue(forKey: "image_url")
        // A picture that came from a server has an absolute address. A relative one is the mirror's own and is dropped.
        if result["source_url"] == nil, let url = address?.stringValue, isAbsolute(url) {
            result["source_url"] = address
        }
        // Of a picture with an address for each format, the catalogue has the addresses as `urls`.
        let urls = ImageAddress.urls(result["image_urls"])
        if !urls.isEmpty, result["source_urls"] == nil {
            result.rename("image_urls", to: "source_urls")
            result["image_versions"] = .array(ImageAddress.formats(of: urls).map(JSONValue.string))
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
