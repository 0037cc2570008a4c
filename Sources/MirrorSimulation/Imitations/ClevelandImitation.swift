import Catalogue

/// The Cleveland Museum of Art: up to 1,000 complete records in an answer, in an order that isn't stated.
///
/// Not published, and so chosen here: a limit above the largest is lowered to it, another invalid parameter is answered with
/// 400, and what doesn't exist with 404 without a body.
package struct ClevelandImitation: Imitation {
    package static let base = "https://openaccess-api.clevelandart.org/api"
    package static let pictureHost = "openaccess-cdn.clevelandart.org"
    package static let faults: [ImitationFault] = [.totalMoves, .orderChanges, .missingPictures]

    package var state: ImitationState

    package init(_ state: ImitationState) { self.state = state }

    package mutating func answer(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        switch (path.first, path.count) {
        case ("artworks", 1): return list(.artwork, largest: 1_000, request)
        case ("exhibitions", 1): return list(.show, largest: 100, request)
        case ("creators", 1): return list(.artist, largest: 1_000, request)
        case ("artworks", 2):
            guard let id = artworkID(path[1]), let record = record(.artwork, id, request) else {
                return .status(404)
            }
            return .json(["data": record])
        default: return .status(404)
        }
    }

    /// An artwork by its number or its accession number, which isn't always unique: then the one with the lowest number.
    private mutating func artworkID(_ text: String) -> String? {
        if let id = Int(text).flatMap({ state.catalogue.id(.artwork, number: $0) }) { return id }
        return state.catalogue.ids(of: .artwork, by: .number).first {
            state.catalogue.object(.artwork, $0)?["accession_number"]?.stringValue == text
        }
    }

    // MARK: - Lists

    package static func selection(ofDepartment name: String) -> String? { name }

    private mutating func list(
        _ kind: Kind, largest: Int, _ request: ImitationRequest
    ) -> ImitationAnswer {
        guard let limit = request.number("limit", default: largest),
            let skip = request.number("skip", default: 0)
        else { return .status(400) }
        var ids = state.catalogue.ids(of: kind, by: .hashed)
        if kind == .artwork { ids = filtered(ids, request) }
        if state.has(.orderChanges), !ids.isEmpty {
            let turn = Int(MuseumNumber.hash("\(state.seed) \(state.requests)") % UInt64(ids.count))
            ids = Array(ids[turn...] + ids[..<turn])
        }
        let total = ids.count + (state.has(.totalMoves) && state.requests % 2 == 0 ? 1 : 0)
        let size = min(limit, largest)
        let records = ids.dropFirst(skip).prefix(size).compactMap { record(kind, $0, request) }
        return .json([
            "info": [
                "total": .int(total), "parameters": ["limit": .int(size), "skip": .int(skip)],
            ],
            "data": .array(records),
        ])
    }

    /// The flags of the list: `cc0` and `currently_on_view` need no value, `has_image` is 1 or 0. `department` is a name.
    private func filtered(_ ids: [String], _ request: ImitationRequest) -> [String] {
        let names = Set(request.target.query.map(\.name))
        let image = request["has_image"].map { $0 == "1" }, department = request["department"]
        guard
            names.contains("cc0") || names.contains("currently_on_view") || image != nil || department != nil
        else { return ids }
        return ids.filter { id in
            guard let record = ArtworkRecord(id, in: state.catalogue) else { return false }
            if names.contains("cc0"), !record.isPublicDomain { return false }
            if names.contains("currently_on_view"), !record.isOnView { return false }
            if let department, record.department?.name != department { return false }
            return image.map { $0 != record.pictures.isEmpty } ?? true
        }
    }

    // MARK: - Records

    private mutating func record(_ kind: Kind, _ id: String, _ request: ImitationRequest) -> JSONValue? {
        var record: JSONObject
        if kind == .artwork {
            guard let artwork = ArtworkRecord(id, in: state.catalogue) else { return nil }
            record = Self.described(artwork)
            record["exhibitions"] = ["current": .array(exhibitions(ofArtwork: id)), "legacy": []]
            for member in Self.pictured(artwork, request).members { record[member.key] = member.value }
        } else {
            guard let entry = state.catalogue.entry(kind, id) else { return nil }
            record = kind == .artist ? Self.creator(ArtworkRecord.Maker(entry)) : exhibition(entry)
            if kind == .artist { record["biography"] = .orNull(entry.object["blurb"]?.stringValue) }
        }
        return .object(record.only(request["fields"]))
    }

    private static func described(_ record: ArtworkRecord) -> JSONObject {
        let start = record.year("date_start")
        let lengths: [(String, JSONValue)] = ["height", "width", "depth"]
            .compactMap { name in record.centimetres(name).map { (name, .orNull($0 / 100, digits: 4)) } }
        let overall: JSONValue = lengths.isEmpty ? [:] : ["overall": .object(JSONObject(lengths))]
        let culture: [JSONValue] = record.text("culture").map { [.string($0)] } ?? []
        let accession = record.text("accession_number") ?? String(record.number)
        return JSONObject([
            ("id", .int(record.number)), ("accession_number", .string(accession)),
            ("share_license_status", record.isPublicDomain ? "CC0" : "Copyrighted"),
            ("tombstone", .string(tombstone(record))),
            ("current_location", .orNull(record.isOnView ? record.gallery?.name : nil)),
            ("title", .orNull(record.text("title"))), ("creation_date", .orNull(record.text("date_text"))),
            ("creation_date_earliest", .orNull(start)),
            ("creation_date_latest", .orNull(record.year("date_end") ?? start)),
            ("creators", .array(record.makers.map { .object(creator($0)) })),
            ("culture", .array(culture)),
            ("technique", .orNull(record.text("medium"))), ("department", .orNull(record.department?.name)),
            ("collection", .orNull(record.text("collection"))), ("type", .orNull(record.text("category"))),
            ("measurements", .orNull(record.dimensions)),
            ("dimensions", overall),
            ("creditline", .orNull(record.text("credit_line"))), ("on_loan", false),
            ("description", .orNull(record.text("provenance").map { "<em>Provenance:</em> \($0)" })),
            ("url", .string("https://clevelandart.org/art/\(accession)")),
            ("updated_at", .string(record.modified.microseconds26)),
        ])
    }

    private static func tombstone(_ record: ArtworkRecord) -> String {
        let parts = [record.text("title"), record.text("date_text")].compactMap(\.self)
        return "\(parts.joined(separator: ", ")). \(record.makers.map(\.name).joined(separator: "; "))"
    }

    /// The nationality stands only in the description: `Ada Maker (Dutch, 1770–1830)`.
    private static func creator(_ maker: ArtworkRecord.Maker) -> JSONObject {
        JSONObject([
            ("id", .int(maker.number)),
            ("description", .string(maker.origin.isEmpty ? maker.name : "\(maker.name) (\(maker.origin))")),
            ("extent", .null), ("qualifier", .null), ("role", .string(maker.role ?? "artist")),
            ("biography", .null), ("birth_year", .orNull(maker.birthYear.map(String.init))),
            ("death_year", .orNull(maker.deathYear.map(String.init))),
        ])
    }

    private mutating func exhibitions(ofArtwork id: String) -> [JSONValue] {
        state.catalogue.shows(ofArtwork: id).compactMap { show in
            state.catalogue.entry(.show, show).map {
                .object(exhibition($0).only("id,title,description,opening_date"))
            }
        }
    }

    private func exhibition(_ entry: ImitatedCatalogue.Entry) -> JSONObject {
        let show = entry.object
        let opening = show["start_date"]?.stringValue.flatMap {
            Timestamp($0) ?? Int($0).map(Timestamp.init(year:))
        }
        let venue = show["location_text"]?.stringValue ?? show["citation"]?.stringValue
        return JSONObject([
            ("id", .int(entry.number)), ("title", .string("<em>\(show["name"]?.stringValue ?? "")</em>")),
            ("description", .orNull(show["blurb"]?.stringValue)),
            ("opening_date", .orNull(opening.map { String($0.text.prefix(19)) })),
            ("venues", .array(venue.map { [["name": .string($0)]] } ?? [])),
        ])
    }

    // MARK: - Pictures

    /// Works under copyright have addresses too: only `share_license_status` tells them apart.
    private static func pictured(_ record: ArtworkRecord, _ request: ImitationRequest) -> JSONObject {
        let all = record.pictures.map { picture in JSONValue.object(files(of: picture, request)) }
        guard let first = all.first?.objectValue else {
            return ["images": .null, "alternate_images": []]
        }
        var images = first
        images["annotation"] = .null
        return ["images": .object(images), "alternate_images": .array(Array(all.dropFirst()))]
    }

    /// The longest sides of the sizes in pixels; `nil` for the picture as it is, which the museum has as TIFF.
    private static let sizes: [(name: String, side: Int?, ending: String)] = [
        ("web", 900, "jpg"), ("print", 3_400, "jpg"), ("full", nil, "tif"),
    ]

    private static func files(of picture: ArtworkRecord.Picture, _ request: ImitationRequest) -> JSONObject {
        JSONObject(
            sizes.map { size -> (String, JSONValue) in
                let longest = max(picture.width, picture.height), side = min(size.side ?? longest, longest)
                let name = "\(picture.id)_\(size.name).\(size.ending)"
                return (
                    size.name,
                    [
                        "url": .string(pictureURL("\(picture.id)/\(name)", request)),
                        "width": .string(String(max(1, picture.width * side / longest))),
                        "height": .string(String(max(1, picture.height * side / longest))),
                        "filesize": .string(String(picture.width * side / 20)), "filename": .string(name),
                    ]
                )
            })
    }

    /// Answers the JPEGs. The TIFF has an address but no file here, as happens at the museum.
    package func picture(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        guard path.count == 2, let found = ArtworkRecord.picture(path[0], in: state.catalogue),
            let size = Self.sizes.first(where: { path[1] == "\(path[0])_\($0.name).\($0.ending)" }),
            size.side != nil, !state.isMissing(found.picture)
        else { return .status(404) }
        return .jpeg(found.picture, format: size.name == "web" ? "medium" : "larger")
    }
}
