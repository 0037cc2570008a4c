/// The body that a mirror serves for an object, made from what an origin said of it.
///
/// It holds no host, port or time, and only ids of artists inside an artwork or show, so that a body changes exactly
/// when its object does, and is equal all along a chain of mirrors. Every function is idempotent, and returns `nil`
/// where nothing changes, so that nobody stores the same body twice. Users, artists, albums and locations are served
/// as they are.
public enum ServingForm {
    /// Flags of a partner are write-only, so they are left out.
    public static func partner(_ json: JSONObject) -> JSONObject? {
        guard json["partner_flags"] != nil else { return nil }
        var body = json
        body["partner_flags"] = nil
        return body
    }

    /// Artists become `{id}`, pictures get our own relative addresses.
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

    /// Artists and the partner become `{id}`, a location object becomes `location_id`.
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

    /// A show's cover or installation shot gets our own relative address.
    public static func showImage(_ json: JSONObject, show: String) -> JSONObject? {
        picture(json) { FileReference.picture(show: show, image: $0) }
    }

    /// A document gets our own relative address.
    public static func document(_ json: JSONObject, partner: String, owner: Owner) -> JSONObject? {
        guard let id = json["id"]?.idText else { return nil }
        let filename = json["filename"]?.stringValue
        let own = FileReference.document(partner: partner, owner: owner, id: id, filename: filename)
        if let uri = json["uri"]?.stringValue, UTF8Order.equal(uri, own) { return nil }
        return replacing(json, [("uri", .string(own))])
    }

    /// An object with other values for some fields; `nil` for a value says that the field is right as it is. What came in
    /// serving form already, as from a server of ours, is never copied.
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

    /// Pictures with our own addresses; `nil` if all have them.
    private static func addressed(_ images: [JSONValue], _ address: (String) -> String) -> JSONValue? {
        var result: [JSONValue]?
        for (index, image) in images.enumerated() {
            guard case .object(let entry) = image, let own = picture(entry, address) else { continue }
            if result == nil { result = images }
            result?[index] = .object(own)
        }
        return result.map(JSONValue.array)
    }

    /// A picture without an address has no bytes, and gets none; nor do tiles without one.
    private static func picture(_ entry: JSONObject, _ address: (String) -> String) -> JSONObject? {
        guard let id = entry["id"]?.idText else { return nil }
        let own = address(id)
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

    /// What can't be read as an artist is kept out; anything but an array is none of ours and stays. `nil` if nothing
    /// changes.
    private static func reducedArtists(_ artists: JSONValue?) -> JSONValue? {
        guard case .array(let artists)? = artists, !artists.allSatisfy(isReduced) else { return nil }
        return .array(
            artists.compactMap { artist in
                if case .object(let object) = artist { return object["id"]?.idText.map(idObject) }
                return artist.idText.map(idObject)
            })
    }

    /// `{id}` of an object that has an id and more; `nil` for anything else.
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
