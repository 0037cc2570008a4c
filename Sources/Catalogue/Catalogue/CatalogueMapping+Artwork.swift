extension CatalogueMapping {
    private static let artworkNames = [
        (from: "date_text", to: "date"), (from: "accession_number", to: "inventory_id"),
    ]

    /// An artwork's body. `location_id` travels in it, and is what the location's list is made from.
    public static func artwork(
        fromCatalogue source: JSONObject
    ) -> (body: JSONObject, locationID: String?) {
        var body = unparked(source)
        rename(&body, artworkNames)
        nestDimensions(&body)
        nestArtists(&body)
        if case .array(let images)? = source["images"] {
            let id = source["id"]?.idText ?? ""
            body["images"] = .array(
                images.enumerated().map { index, image in
                    guard case .object(let object) = image else { return image }
                    return .object(
                        CatalogueImage.image(fromCatalogue: object, position: index + 1) {
                            FileReference.picture(artwork: id, image: $0)
                        })
                })
        }
        body = ServingForm.artwork(body) ?? body
        body = parking(source, body, back: mappedArtwork(body))
        return (body, source["location_id"]?.idText)
    }

    /// The catalogue's object of an artwork's body.
    public static func artwork(toCatalogue body: JSONObject) -> JSONObject {
        restoring(mappedArtwork(body), from: body)
    }

    private static func mappedArtwork(_ body: JSONObject) -> JSONObject {
        var result = unparked(body)
        rename(&result, inverse(artworkNames))
        flattenDimensions(&result)
        flattenArtists(&result)
        switch result["images"] {
        case .array(let images)?:
            result["images"] = .array(
                images.enumerated().map { index, image in
                    guard case .object(let object) = image else { return image }
                    return .object(CatalogueImage.image(toCatalogue: object, position: index + 1))
                })
        case nil: result["images"] = []
        default: break
        }
        return result
    }

    /// `dimensions_text` → `dimensions.in`, beside whatever else an object of that name holds.
    private static func nestDimensions(_ object: inout JSONObject) {
        guard let text = object.removeValue(forKey: "dimensions_text") else { return }
        var dimensions = object["dimensions"]?.objectValue ?? JSONObject()
        dimensions["in"] = text
        object["dimensions"] = .object(dimensions)
    }

    private static func flattenDimensions(_ object: inout JSONObject) {
        guard case .object(var dimensions)? = object["dimensions"],
            let text = dimensions.removeValue(forKey: "in")
        else { return }
        object["dimensions_text"] = text
        object["dimensions"] = dimensions.isEmpty ? nil : .object(dimensions)
    }
}
