import Catalogue

/// The records of SMK.
extension SMKImitation {
    static let ending = ".tif.jp2"

    /// One record in five has its picture as a file, without IIIF.
    static func isNative(_ record: ArtworkRecord) -> Bool { record.number % 5 == 0 }

    /// A record with the fields that the request names. What is missing has no member.
    mutating func record(_ id: String, _ request: ImitationRequest) -> JSONObject? {
        guard let artwork = ArtworkRecord(id, in: state.catalogue) else { return nil }
        var record = described(artwork)
        record["production"] = artwork.makers.isEmpty ? nil : .array(artwork.makers.map(Self.creator))
        let exhibitions = state.catalogue.shows(ofArtwork: id).compactMap {
            state.catalogue.object(.show, $0).map(Self.exhibition)
        }
        record["exhibitions"] = exhibitions.isEmpty ? nil : .array(exhibitions)
        for member in pictured(artwork, request).members { record[member.key] = member.value }
        return record.only(request["fields"])
    }

    private func described(_ record: ArtworkRecord) -> JSONObject {
        var object = JSONObject([
            ("id", .string("\(record.number)_object")), ("created", "2020-01-01T00:00:00Z"),
            ("modified", .string(record.modified.seconds20)),
            ("object_number", .string(id(ofArtwork: record.id))),
            ("on_display", .bool(record.isOnView)), ("public_domain", .bool(record.isPublicDomain)),
            ("rights", .string(Self.rights(record))), ("has_image", .bool(!record.pictures.isEmpty)),
            (
                "frontend_url",
                .string(
                    "https://open.smk.dk/artwork/image/\(id(ofArtwork: record.id).replacing(" ", with: ""))")
            ),
        ])
        object["titles"] = record.text("title").map {
            [["title": .string($0), "language": "en", "type": "museum"]]
        }
        object["production_date"] = Self.period(record)
        object["techniques"] = record.text("medium").map { [.string($0)] }
        object["object_names"] = (record.text("object_name") ?? record.text("category"))
            .map { [["name": .string($0)]] }
        object["collection"] = record.department.map { [.string($0.name)] }
        object["current_location_name"] = record.isOnView ? record.gallery.map { .string($0.name) } : nil
        let lengths = ["height", "width", "depth"].compactMap { name in
            record.centimetres(name).map { (name, $0) }
        }
        object["dimensions"] =
            lengths.isEmpty
            ? nil
            : .array(
                lengths.map { name, value in
                    [
                        "part": "netto", "type": .string(name), "unit": "centimeter",
                        "value": .string("\((value * 10).rounded() / 10)"),
                    ]
                })
        return object
    }

    private static func rights(_ record: ArtworkRecord) -> String {
        record.isPublicDomain
            ? "https://creativecommons.org/share-your-work/public-domain/cc0/"
            : "https://rightsstatements.org/page/InC/1.0/"
    }

    private static func period(_ record: ArtworkRecord) -> JSONValue? {
        var period = JSONObject()
        if let start = record.year("date_start"), start > 0 {
            let end = record.year("date_end") ?? start
            period["start"] = .string("\(start.padded(to: 4))-01-01T00:00:00.000Z")
            period["end"] = .string("\(end.padded(to: 4))-12-31T00:00:00.000Z")
        }
        period["period"] = record.text("date_text").map(JSONValue.string)
        return period.isEmpty ? nil : .array([.object(period)])
    }

    /// A creator's name begins with the surname: `Maker, Ada`.
    private static func creator(_ maker: ArtworkRecord.Maker) -> JSONValue {
        let names = maker.sortName.split(separator: ", ", maxSplits: 1).map(String.init)
        var object = JSONObject([
            ("creator", .string(maker.sortName)), ("creator_role", .string(maker.role ?? "artist")),
            ("creator_lref", .string("\(maker.number)_person")),
        ])
        object["creator_surname"] = names.first.map(JSONValue.string)
        object["creator_forename"] = names.count > 1 ? .string(names[1]) : nil
        object["creator_nationality"] = maker.nationality.map(JSONValue.string)
        for (field, year) in [
            ("creator_date_of_birth", maker.birthYear), ("creator_date_of_death", maker.deathYear),
        ] {
            // The form of dates before our era isn't published.
            guard let year, year > 0 else { continue }
            object[field] = .string("\(year.padded(to: 4))-01-01T00:00:00.000Z")
        }
        return .object(object)
    }

    private static func exhibition(_ show: JSONObject) -> JSONValue {
        var object: JSONObject = ["exhibition": .orEmpty(show["name"]?.stringValue)]
        for (field, date) in [("date_start", "start_date"), ("date_end", "end_date")] {
            let time = show[date]?.stringValue.flatMap {
                Timestamp($0) ?? Int($0).map(Timestamp.init(year:))
            }
            object[field] = time.map { .string($0.text) }
        }
        object["venue"] = (show["location_text"] ?? show["citation"])
        return .object(object)
    }

    /// The first picture stands in the record itself, the others beside it. Works under copyright have pictures, too.
    private func pictured(_ record: ArtworkRecord, _ request: ImitationRequest) -> JSONObject {
        guard let first = record.pictures.first else { return [:] }
        var object = files(of: first, record, request)
        object["image_width"] = .int(first.width)
        object["image_height"] = .int(first.height)
        var others = Array(record.pictures.dropFirst())
        if state.has(.duplicatePictures) { others = record.pictures + others }
        let alternatives = others.map { picture -> JSONValue in
            var alternative = files(of: picture, record, request)
            // An alternative picture's IIIF base has another name than the first one's.
            alternative["iiif_id"] = alternative.removeValue(forKey: "image_iiif_id")
            alternative["native"] = alternative.removeValue(forKey: "image_native")
            alternative["width"] = .int(picture.width)
            alternative["height"] = .int(picture.height)
            return .object(alternative)
        }
        object["alternative_images"] = alternatives.isEmpty ? nil : .array(alternatives)
        return object
    }

    private func files(
        of picture: ArtworkRecord.Picture, _ record: ArtworkRecord, _ request: ImitationRequest
    ) -> JSONObject {
        Self.isNative(record)
            ? ["image_native": .string(Self.pictureURL("native/\(picture.id).jpg", request))]
            : [
                "image_iiif_id": .string(
                    Self.pictureURL("iiif/jp2/\(picture.id)\(Self.ending)", request))
            ]
    }
}
