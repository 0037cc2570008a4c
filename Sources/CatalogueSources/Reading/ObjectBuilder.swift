import Catalogue
import Crypto

/// What the queries of an object gave.
struct ObjectRows {
    var row: SQLRow?
    var artists: [SQLRow] = []
    var images: [SQLRow] = []
    /// The ids of artworks; `nil` if there is no query for them.
    var members: [String]?
}

/// Makes an object in the Partner API's form from what its queries gave.
struct ObjectBuilder: Sendable {
    let reading: KindReading
    let hosts: PictureHosts

    private var kind: Kind { reading.kind }

    /// What the list says of the object, such as the time of its change, isn't used: an answer about the object alone doesn't
    /// contain it, and the same object must read the same in each answer.
    ///
    /// - Throws: ``SourceReadingError``, if every column is empty.
    func object(_ id: String, from rows: ObjectRows) throws(SourceReadingError) -> ReadObject {
        guard let row = rows.row, row.values.contains(where: { !$0.isAbsent }) else {
            throw SourceReadingError(
                .shape,
                "Every column of \(kind.name) \(id.quoted) is empty. The form of the answer may have changed: compare the query \"row\" with it."
            )
        }
        var members = reading.row.members(of: row)
        let location = location(row)
        if let id = location?["id"] { members.append(("location_id", id)) }
        let (entries, artists) = artists(rows.artists)
        if !entries.isEmpty { members.append(("artists", .array(entries))) }
        let (images, refused) = images(rows.images)
        if !images.isEmpty { members.append(("images", .array(images))) }
        members.append(("id", .string(id)))
        var json = JSONObject(members)
        let hash = hash(json, artists, location, rows.members)
        if kind.hasSlug, json["slug"] == nil {
            json["slug"] = .string(SourceSlug.slug(title: json[kind.titleColumn]?.stringValue, id: id))
        }
        return ReadObject(
            id: id, json: json, artists: artists, location: location, members: rows.members, hash: hash,
            refusedPictures: refused)
    }

    /// Covers all that was read of the object, without the slug, which follows from it.
    private func hash(
        _ json: JSONObject, _ artists: [JSONObject], _ location: JSONObject?, _ members: [String]?
    ) -> String {
        var json = json
        for column in reading.object.volatile { json[column] = nil }
        var all: [(String, JSONValue)] = [("object", .object(json))]
        if !artists.isEmpty { all.append(("artists", .array(artists.map(JSONValue.object)))) }
        if let location { all.append(("location", .object(location))) }
        if let members { all.append(("members", .array(members.map(JSONValue.string)))) }
        let digest = SHA256.hash(data: JSONObject(all).canonicalBytes)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        let digits = Array("0123456789abcdef".utf8)
        for byte in digest { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The location that the row names, by its id, its name or both.
    private func location(_ row: SQLRow) -> JSONObject? {
        let name = row["location"].filledText
        guard let id = row["location_id"].idText ?? name.map(SourceSlug.id(forName:)) else { return nil }
        var location: JSONObject = ["id": .string(id), "slug": .string(SourceSlug.slug(title: name, id: id))]
        if let name { location["name"] = .string(name) }
        return location
    }

    /// The artists as they are in the object, and as objects of their own, each once.
    private func artists(_ rows: [SQLRow]) -> (entries: [JSONValue], objects: [JSONObject]) {
        guard let plan = reading.artists else { return ([], []) }
        var entries: [JSONValue] = [], objects: [JSONObject] = [], seen: Set<String> = []
        for row in rows {
            let name = row["name"].filledText
            guard let id = row["id"].idText ?? name.map(SourceSlug.id(forName:)), seen.insert(id).inserted
            else {
                continue
            }
            var artist = JSONObject(plan.members(of: row) + [("id", .string(id))])
            if artist["slug"] == nil { artist["slug"] = .string(SourceSlug.slug(title: name, id: id)) }
            objects.append(artist)
            var entry: JSONObject = ["id": .string(id)]
            if let name { entry["name"] = .string(name) }
            if let role = row["role"].filledText { entry["role"] = .string(role) }
            entries.append(.object(entry))
        }
        return (entries, objects)
    }

    /// The pictures in the order of their rows, each once, and those that are refused because of their addresses.
    private func images(_ rows: [SQLRow]) -> (images: [JSONValue], refused: RefusedPictures) {
        guard let plan = reading.images else { return ([], RefusedPictures()) }
        var images: [JSONValue] = [], refused = RefusedPictures(), seen: Set<String> = []
        for row in rows {
            guard let given = row["iiif"].filledText ?? row["url"].filledText else { continue }
            guard let address = PictureAddress(given) else {
                refused.unusable += 1
                continue
            }
            guard hosts.contains(address.host) else {
                refused.hosts[address.host, default: 0] += 1
                continue
            }
            let formats = row["iiif"].isAbsent ? ["larger": address.url] : Self.formats(ofIIIF: address.url)
            let id = row["id"].idText ?? given
            // One picture may have two ids, or two addresses one id.
            guard seen.isDisjoint(with: [id, address.url]) else { continue }
            seen.formUnion([id, address.url])
            images.append(.object(image(id, formats, isFirst: images.isEmpty, plan.members(of: row), row)))
        }
        return (images, refused)
    }

    private func image(
        _ id: String, _ formats: [String: String], isFirst: Bool, _ members: [(String, JSONValue)],
        _ row: SQLRow
    ) -> JSONObject {
        var members = members
        members.append(("id", .string(id)))
        members.append(("image_urls", .object(JSONObject(formats.map { ($0.key, .string($0.value)) }))))
        members.append(
            ("image_versions", .array(ImageEntry.formats.filter { formats[$0] != nil }.map(JSONValue.string)))
        )
        for (column, field) in [("width", "original_width"), ("height", "original_height")] {
            // Some servers write 0 for an unknown size.
            if let number = row[column].wholeNumber, number > 0 {
                members.append((field, .number(JSONNumber(number))))
            }
        }
        if isFirst { members.append(("is_default", true)) }
        return JSONObject(members)
    }

    /// The addresses of a picture's formats under the base of a IIIF image.
    private static func formats(ofIIIF base: String) -> [String: String] {
        var base = base[...]
        while base.hasSuffix("/") { base.removeLast() }
        return [("larger", 1_600), ("medium", 843), ("square", 400)].reduce(into: [:]) { formats, format in
            formats[format.0] = "\(base)/full/!\(format.1),\(format.1)/0/default.jpg"
        }
    }
}
