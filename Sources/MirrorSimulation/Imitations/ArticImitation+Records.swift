import Catalogue

/// The records of the Art Institute of Chicago. What is missing is `null`, never an empty text.
extension ArticImitation {
    /// A record with the fields that the request names.
    ///
    /// The links between an artwork and its artists are included only if `include` names them.
    mutating func record(_ kind: Kind, _ id: String, _ request: ImitationRequest) -> JSONValue? {
        guard var record = complete(kind, id) else { return nil }
        let pivots = record.removeValue(forKey: "artist_pivots")
        record = record.only(request["fields"])
        if request["include"]?.split(separator: ",").contains("artist_pivots") == true, let pivots {
            record["artist_pivots"] = pivots
        }
        return .object(record)
    }

    private mutating func complete(_ kind: Kind, _ id: String) -> JSONObject? {
        guard let entry = state.catalogue.entry(kind, id) else { return nil }
        var record: JSONObject
        if kind == .artwork {
            guard let artwork = ArtworkRecord(id, in: state.catalogue) else { return nil }
            record = Self.described(artwork)
            for part in [Self.madeBy(artwork.makers), Self.placed(artwork), Self.pictured(artwork)] {
                for member in part.members { record[member.key] = member.value }
            }
        } else if kind == .artist {
            record = agent(entry)
        } else if kind == .show {
            record = exhibition(entry)
        } else {
            record = gallery(entry)
        }
        record["id"] = .int(entry.number)
        record["api_model"] = .orNull(Self.resources.first { $0.value == kind }?.key)
        record["source_updated_at"] = .string(entry.modified.chicago)
        record["updated_at"] = .string(entry.restamped.chicago)
        record["timestamp"] = .string(entry.restamped.chicago)
        return record
    }

    // MARK: - Artworks

    private static func described(_ record: ArtworkRecord) -> JSONObject {
        let start = record.year("date_start")
        let lengths = ["height", "width", "depth", "diameter"].map { ($0, record.centimetres($0)) }
        var detail = JSONObject(lengths.map { ($0, JSONValue.orNull($1, digits: 2)) })
        detail["clarification"] = .null
        let isMeasured = lengths.contains { $0.1 != nil }
        return JSONObject([
            ("title", .orNull(record.text("title"))),
            ("main_reference_number", .orNull(record.text("accession_number"))),
            ("date_start", .orNull(start)), ("date_end", .orNull(record.year("date_end") ?? start)),
            ("date_display", .orNull(record.text("date_text"))),
            ("place_of_origin", .orNull(record.text("culture"))),
            ("dimensions", .orNull(record.dimensions)),
            ("dimensions_detail", isMeasured ? .array([.object(detail)]) : .array([])),
            ("medium_display", .orNull(record.text("medium"))),
            ("credit_line", .orNull(record.text("credit_line"))),
            ("is_public_domain", .bool(record.isPublicDomain)),
            ("classification_title", .orNull(record.text("category"))),
            ("artwork_type_title", .orNull(record.text("object_name"))),
            ("exhibition_history", .orNull(record.text("exhibition_history"))),
            ("description", .orNull(record.text("provenance").map { "<p>\(escaped($0))</p>" })),
            ("fiscal_year_deaccession", .null),
        ])
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    private static func madeBy(_ makers: [ArtworkRecord.Maker]) -> JSONObject {
        let lines = makers.map { $0.origin.isEmpty ? $0.name : "\($0.name)\n\($0.origin)" }
        let pivots = makers.enumerated().map { place, maker -> JSONValue in
            let role = maker.role ?? "Artist"
            return .object(
                JSONObject([
                    ("artist_id", .int(maker.number)), ("artist_title", .string(maker.name)),
                    ("role_id", .int(MuseumNumber.of(role))), ("role_title", .string(role)),
                    ("is_preferred", .bool(place == 0)),
                ]))
        }
        return JSONObject([
            ("artist_display", lines.isEmpty ? .null : .string(lines.joined(separator: "\n"))),
            ("artist_id", .orNull(makers.first?.number)), ("artist_title", .orNull(makers.first?.name)),
            ("artist_ids", .array(makers.map { .int($0.number) })),
            ("artist_titles", .array(makers.map { .string($0.name) })), ("artist_pivots", .array(pivots)),
        ])
    }

    private static func placed(_ record: ArtworkRecord) -> JSONObject {
        let gallery = record.isOnView ? record.gallery : nil
        let department = record.department
        return JSONObject([
            ("is_on_view", .bool(record.isOnView)), ("gallery_id", .orNull(gallery?.number)),
            ("gallery_title", .orNull(gallery?.name)), ("department_title", .orNull(department?.name)),
            ("department_id", .orNull(department.map(id(of:)))),
        ])
    }

    static func id(of department: ArtworkRecord.Department) -> String { "PC-\(department.number)" }

    private static func pictured(_ record: ArtworkRecord) -> JSONObject {
        let first = record.pictures.first
        let thumbnail = first.map { picture -> JSONValue in
            [
                "lqip": "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "width": .int(picture.width),
                "height": .int(picture.height), "alt_text": .orNull(record.text("title")),
            ]
        }
        return JSONObject([
            ("image_id", .orNull(first.map(imageID))),
            ("alt_image_ids", .array(record.pictures.dropFirst().map { .string(imageID($0)) })),
            ("thumbnail", thumbnail ?? .null),
        ])
    }

    // MARK: - Other records

    private func agent(_ entry: ImitatedCatalogue.Entry) -> JSONObject {
        let maker = ArtworkRecord.Maker(entry)
        return JSONObject([
            ("title", .string(maker.name)), ("sort_title", .string(maker.sortName)),
            ("birth_date", .orNull(maker.birthYear)), ("death_date", .orNull(maker.deathYear)),
            ("description", .orNull(entry.object["blurb"]?.stringValue)),
            ("ulan_id", .orNull(entry.object["same_as"]?.objectValue?["ulan"]?.stringValue)),
        ])
    }

    private func exhibition(_ entry: ImitatedCatalogue.Entry) -> JSONObject {
        let show = entry.object
        func numbers(_ kind: Kind, _ field: String) -> JSONValue {
            .array(
                ImitatedCatalogue.ids(show, field).compactMap { state.catalogue.entry(kind, $0) }
                    .map { .int($0.number) })
        }
        func instant(_ field: String) -> JSONValue {
            .orNull(show[field]?.stringValue.flatMap(Self.beginning).map(\.chicago))
        }
        let gallery = show["location_id"]?.idText.flatMap { state.catalogue.entry(.location, $0) }
        let cover = ImitatedCatalogue.ids(show, "artwork_ids").lazy
            .compactMap { ArtworkRecord($0, in: state.catalogue)?.pictures.first }.first
        return JSONObject([
            ("title", .orNull(show["name"]?.stringValue)), ("status", .orNull(show["status"]?.stringValue)),
            ("aic_start_at", instant("start_date")), ("aic_end_at", instant("end_date")),
            ("gallery_id", .orNull(gallery?.number)), ("artwork_ids", numbers(.artwork, "artwork_ids")),
            ("artist_ids", numbers(.artist, "artist_ids")), ("image_id", .orNull(cover.map(Self.imageID))),
        ])
    }

    /// Midnight in Chicago of a day, or of a year's first day.
    private static func beginning(_ date: String) -> Timestamp? {
        (Timestamp(date) ?? Int(date).map(Timestamp.init(year:))).map {
            Timestamp(seconds: $0.seconds + 6 * 3600)
        }
    }

    private func gallery(_ entry: ImitatedCatalogue.Entry) -> JSONObject {
        let location = entry.object
        return JSONObject([
            ("title", .orNull(location["name"]?.stringValue)),
            ("number", .orNull(location["room"]?.stringValue)),
            ("floor", .orNull(location["floor"]?.stringValue)),
            ("is_closed", location["closed"] ?? .null),
        ])
    }
}
