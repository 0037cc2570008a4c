extension CatalogueMapping {
    /// A show of a catalogue as the API has it.
    public struct Show: Sendable, Hashable {
        public let body: JSONObject
        /// The show's list, in order.
        public let artworkIDs: [String]
        /// The picture that stands for the show, as the API has it.
        public let cover: JSONObject?
        /// Installation shots as the API has them, in order; each has an id of its own.
        public let images: [JSONObject]
    }

    private static let showNames = [
        (from: "start_date", to: "start_at"), (from: "end_date", to: "end_at"),
        (from: "blurb", to: "description"),
    ]

    public static func show(fromCatalogue source: JSONObject) -> Show {
        var body = unparked(source)
        rename(&body, showNames)
        nestArtists(&body)
        let artworkIDs = ids(body.removeValue(forKey: "artwork_ids"))
        let id = source["id"]?.idText ?? ""
        let cover = body.removeValue(forKey: "cover")?.objectValue.flatMap { cover in
            picture(cover, show: id, position: nil)
        }
        let images = pictures(body.removeValue(forKey: "images"), show: id)
        body = ServingForm.show(body) ?? body
        let back = mappedShow(body, artworkIDs: artworkIDs, cover: cover, images: images)
        body = parking(source, body, back: back)
        return Show(body: body, artworkIDs: artworkIDs, cover: cover, images: images)
    }

    /// The catalogue's object of a show's body, with its list and pictures.
    public static func show(
        toCatalogue body: JSONObject, artworkIDs: [String], cover: JSONObject? = nil,
        images: [JSONObject] = []
    ) -> JSONObject {
        restoring(mappedShow(body, artworkIDs: artworkIDs, cover: cover, images: images), from: body)
    }

    private static func mappedShow(
        _ body: JSONObject, artworkIDs: [String], cover: JSONObject?, images: [JSONObject]
    ) -> JSONObject {
        var result = ServingForm.show(unparked(body)) ?? unparked(body)
        rename(&result, inverse(showNames))
        flattenArtists(&result)
        result["artwork_ids"] = array(artworkIDs)
        if let cover { result["cover"] = .object(CatalogueImage.image(toCatalogue: cover, position: nil)) }
        if !images.isEmpty {
            result["images"] = .array(
                images.enumerated().map {
                    .object(CatalogueImage.image(toCatalogue: $1, position: $0 + 1))
                })
        }
        return result
    }

    /// A picture without an id can't be one in the API; it is parked with the field that holds it.
    private static func picture(_ image: JSONObject, show: String, position: Int?) -> JSONObject? {
        guard image["id"]?.idText != nil else { return nil }
        return CatalogueImage.image(fromCatalogue: image, position: position) {
            FileReference.picture(show: show, image: $0)
        }
    }

    /// The pictures that have an id, each id once.
    private static func pictures(_ value: JSONValue?, show: String) -> [JSONObject] {
        var seen: Set<JSONValue> = []
        var result: [JSONObject] = []
        for element in value?.arrayValue ?? [] {
            guard let image = element.objectValue, let id = image["id"]?.idText,
                let picture = picture(image, show: show, position: result.count + 1),
                seen.insert(.string(id)).inserted
            else { continue }
            result.append(picture)
        }
        return result
    }
}
