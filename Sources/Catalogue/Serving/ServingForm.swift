/// Makes the body that a mirror serves for an object from the origin's body.
///
/// - A served body contains no host, port or time. An artwork or show contains only the ids of its artists. So a body
///   changes exactly when its object changes, and all mirrors in a chain serve equal bodies.
/// - All functions are idempotent. They return `nil` if nothing changes, so that the same body isn't stored twice.
/// - Users, artists, albums and locations are served unchanged.
public enum ServingForm {
    /// Removes the partner's flags, which are write-only.
    public static func partner(_ json: JSONObject) -> JSONObject? {
        guard json["partner_flags"] != nil else { return nil }
        var body = json
        body["partner_flags"] = nil
        return body
    }

    /// Replaces artists by `{id}`, and addresses of pictures by the mirror's own relative addresses.
    public static func artwork(_ json: JSONObject) -> JSONObject? {
        var images: JSONValue?
        if let id = json["id"]?.idText, case .array(let pictures)? = json["images"] {
            images = addressed(pictures) { FileReference.picture(artwork: id, image: $0) }
        }
        return replacing(
            json,
            [
                ("artists", reducedArtists(json["artists"])), ("artist", reduced(json["artist"])),
                ("images", images),
            ])
    }

    /// Replaces artists and the partner by `{id}`, and a location object by `location_id`.
    public static func show(_ json: JSONObject) -> JSONObject? {
        let reduced = replacing(
            json, [("artists", reducedArtists(json["artists"])), ("partner", reduced(json["partner"]))])
        guard let location = json["location"], location == .null || location.objectValue != nil else {
            return reduced
        }
        var body = reduced ?? json
        body["location"] = nil
        if let id = location.objectValue?["id"]?.idText { body["location_id"] = .string(id) }
        return body
    }

    /// Replaces the address of a show's cover or installation shot by the mirror's own relative address.
    public static func showImage(_ json: JSONObject, show: String) -> JSONObject? {
        picture(json) { FileReference.picture(show: show, image: $0) }
    }

    /// Replaces the address of a document by the mirror's own relative address.
    public static func document(_ json: JSONObject, partner: String, owner: Owner) -> JSONObject? {
        guard let id = json["id"]?.idText else { return nil }
        let filename = json["filename"]?.stringValue
        let own = FileReference.document(partner: partner, owner: owner, id: id, filename: filename)
        if let uri = json["uri"]?.stringValue, UTF8Order.equal(uri, own) { return nil }
        return replacing(json, [("uri", .string(own))])
    }

    /// The object with new values for some fields; `nil` if all fields keep their values.
    ///
    /// - Parameter fields: the new values; `nil` for a field that keeps its value.
    private static func replacing(
        _ json: JSONObject, _ fields: [(name: String, value: JSONValue?)]
    ) -> JSONObject? {
        var result: JSONObject?
        for case (let name, let value?) in fields {
            if result == nil { result = json }
            result?[name] = value
        }
        return result
    }

    /// Pictures with the mirror's own addresses; `nil` if all have them already.
    private static func addressed(_ images: [JSONValue], _ address: (String) -> String) -> JSONValue? {
        var result: [JSONValue]?
        for (index, image) in images.enumerated() {
            guard case .object(let entry) = image, let own = picture(entry, address) else { continue }
            if result == nil { result = images }
            result?[index] = .object(own)
        }
        return result.map(JSONValue.array)
    }

    /// The picture with the mirror's own addresses; `nil` if nothing changes.
    ///
    /// A missing or blank address stays as it is, because there is no file. The same applies to tiles. Addresses for each
    /// format (`image_urls`) become one address and the formats.
    private static func picture(_ entry: JSONObject, _ address: (String) -> String) -> JSONObject? {
        guard let id = entry["id"]?.idText else { return nil }
        let own = address(id), urls = ImageAddress.urls(entry["image_urls"])
        guard urls.isEmpty else {
            var single = entry
            single["image_urls"] = nil
            single["image_url"] = .string(own)
            single["image_versions"] = .array(ImageAddress.formats(of: urls).map(JSONValue.string))
            return picture(single, address) ?? single
        }
        func replacement(_ field: String, _ own: String) -> (name: String, value: JSONValue?) {
            guard case .string(let url)? = entry[field], !url.isBlank, !UTF8Order.equal(own, url) else {
                return (field, nil)
            }
            return (field, .string(own))
        }
        let picture = replacement("image_url", own)
        guard entry["tile_size"] != nil else { return replacing(entry, [picture]) }
        return replacing(entry, [picture, replacement("tile_base_url", FileReference.tiles(beside: own))])
    }

    /// The artists as `{id}`, without elements that have no id; `nil` if nothing changes or `artists` isn't an array.
    private static func reducedArtists(_ artists: JSONValue?) -> JSONValue? {
        guard case .array(let artists)? = artists, !artists.allSatisfy(isReduced) else { return nil }
        return .array(
            artists.compactMap { artist in
                if case .object(let object) = artist { return object["id"]?.idText.map(idObject) }
                return artist.idText.map(idObject)
            })
    }

    /// `{id}` for an object with an id and other members; `nil` for anything else.
    private static func reduced(_ value: JSONValue?) -> JSONValue? {
        guard let value, let object = value.objectValue, !isReduced(value) else { return nil }
        return object["id"]?.idText.map(idObject)
    }

    private static func isReduced(_ value: JSONValue) -> Bool {
        guard case .object(let object) = value, object.count == 1, case .string(let id)? = object["id"] else {
            return false
        }
        return !id.isBlank
    }

    private static func idObject(_ id: String) -> JSONValue { .object(["id": .string(id)]) }
}
