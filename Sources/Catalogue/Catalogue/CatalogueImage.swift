/// Maps one picture of a catalogue to the API's picture and back.
enum CatalogueImage {
    private static let names = [
        (from: "url", to: "source_url"), (from: "width", to: "original_width"),
        (from: "height", to: "original_height"), (from: "is_primary", to: "is_default"),
    ]
    /// A catalogue has no formats of its own; every format is drawn or scaled on demand.
    private static let versions = JSONValue.array(ImageEntry.formats.map(JSONValue.string))

    /// - Parameters:
    ///   - position: from 1; `nil` for a picture that stands alone.
    ///   - address: our own address for an image's id.
    static func image(
        fromCatalogue source: JSONObject, position: Int?, address: (String) -> String
    ) -> JSONObject {
        var image = source
        CatalogueMapping.rename(&image, names)
        if let id = source["id"]?.idText { image["image_url"] = .string(address(id)) }
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
        if let position, result["position"] == .number(JSONNumber(position)) { result["position"] = nil }
        if result["image_versions"] == versions { result["image_versions"] = nil }
        CatalogueMapping.rename(&result, CatalogueMapping.inverse(names))
        return result
    }

    private static func isAbsolute(_ url: String) -> Bool { url.hasPrefix("//") || url.contains("://") }
}
