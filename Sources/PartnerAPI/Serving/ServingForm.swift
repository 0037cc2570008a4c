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
        var body = json
        reduceArtists(&body)
        if let artist = idOnly(json["artist"]) { body["artist"] = artist }
        if let id = json["id"]?.idText, case .array(let images)? = json["images"] {
            body["images"] = .array(
                images.map { image in
                    guard case .object(let entry) = image else { return image }
                    return .object(picture(entry) { FileReference.picture(artwork: id, image: $0) } ?? entry)
                })
        }
        return changed(body, json)
    }

    /// Artists and the partner become `{id}`, a location object becomes `location_id`.
    public static func show(_ json: JSONObject) -> JSONObject? {
        var body = json
        reduceArtists(&body)
        if let partner = idOnly(json["partner"]) { body["partner"] = partner }
        switch json["location"] {
        case .object(let location)?:
            body["location"] = nil
            if let id = location["id"]?.idText { body["location_id"] = .string(id) }
        case .null?: body["location"] = nil
        default: break
        }
        return changed(body, json)
    }

    /// A show's cover or installation shot gets our own relative address.
    public static func showImage(_ json: JSONObject, show: String) -> JSONObject? {
        picture(json) { FileReference.picture(show: show, image: $0) }
    }

    /// A document gets our own relative address.
    public static func document(_ json: JSONObject, partner: String, owner: DocumentOwner) -> JSONObject? {
        guard let id = json["id"]?.idText else { return nil }
        var body = json
        let filename = json["filename"]?.stringValue
        body["uri"] = .string(
            FileReference.document(partner: partner, owner: owner, id: id, filename: filename))
        return changed(body, json)
    }

    /// A picture without an address has no bytes, and gets none.
    private static func picture(_ entry: JSONObject, _ address: (String) -> String) -> JSONObject? {
        guard let id = entry["id"]?.idText, case .string(let url)? = entry["image_url"], !url.isBlank else {
            return nil
        }
        let own = address(id)
        guard !UTF8Order.equal(own, url) else { return nil }
        var body = entry
        body["image_url"] = .string(own)
        return body
    }

    /// What can't be read as an artist is kept out; anything but an array is none of ours and stays.
    private static func reduceArtists(_ body: inout JSONObject) {
        guard case .array(let artists)? = body["artists"] else { return }
        body["artists"] = .array(
            artists.compactMap { artist in idOnly(artist) ?? artist.idText.map(idObject) })
    }

    private static func idOnly(_ value: JSONValue?) -> JSONValue? {
        guard case .object(let object)? = value, let id = object["id"]?.idText else { return nil }
        return idObject(id)
    }

    private static func idObject(_ id: String) -> JSONValue {
        .object(JSONObject([("id", .string(id))]))
    }

    private static func changed(_ body: JSONObject, _ json: JSONObject) -> JSONObject? {
        body == json ? nil : body
    }
}
