import Catalogue

/// The Metropolitan Museum of Art: a list of all ids in one answer, and one request an object.
///
/// Not imitated: version 1.1 of the search, which a mirror doesn't need. An invalid parameter is answered with 400; what the
/// museum does then isn't published.
package struct MetImitation: Imitation {
    package static let base = "https://collectionapi.metmuseum.org/public/collection/v1"
    package static let pictureHost = "images.metmuseum.org"
    package static let faults: [ImitationFault] = [
        .blocksAfter40, .htmlWith200, .missingObjects, .absentEveryOtherDay, .missingPictures,
    ]

    package var state: ImitationState

    package init(_ state: ImitationState) { self.state = state }

    package mutating func answer(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        if state.isBlocked() { return Self.blocked }
        if state.has(.htmlWith200), state.requests % 10 == 0 { return Self.incapsula(status: 200) }
        switch (path.first, path.count) {
        case ("departments", 1): return departments()
        case ("objects", 1): return list(request)
        case ("objects", 2): return object(path[1], request)
        case ("search", 1):
            return Self.message("This version of the search has ended. Use version 1.1.", status: 410)
        default: return Self.message("Not found", status: 404)
        }
    }

    private static func message(_ text: String, status: Int) -> ImitationAnswer {
        .json(["message": .string(text)], status: status)
    }

    // MARK: - Firewall

    private static func incapsula(status: Int, _ headers: [String: String] = [:]) -> ImitationAnswer {
        .html(
            #"<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9&xinfo=0" frameborder=0 width="100%" height="100%"></iframe></body></html>"#,
            status: status, headers)
    }

    private static var blocked: ImitationAnswer {
        incapsula(
            status: 403,
            [
                "Connection": "close", "X-Iinfo": "1-2-3 NNNN RT(1 1) q(0 -1 -1 -1) r(0 -1) B10(4,289,0)",
                "Set-Cookie": "visid_incap_1=made-up; Domain=.metmuseum.org; Path=/",
            ])
    }

    // MARK: - Lists

    private mutating func list(_ request: ImitationRequest) -> ImitationAnswer {
        var since: Timestamp?
        if let text = request["metadataDate"] {
            guard text.utf8.count == 10, let day = Timestamp(text) else {
                return Self.message("metadataDate must be a date (YYYY-MM-DD).", status: 400)
            }
            since = day
        }
        let departments = request["departmentIds"].map { Set($0.split(separator: "|").map { Int($0) }) }
        let ids = state.catalogue.ids(of: .artwork, by: .number).filter { id in
            guard let entry = state.catalogue.entry(.artwork, id), !state.isAway(id) else { return false }
            if let since, entry.modified < since { return false }
            guard let departments else { return true }
            return departments.contains(ArtworkRecord.Department(of: entry.object)?.number)
        }
        let numbers = ids.map { JSONValue.int(MuseumNumber.of($0)) }
        return .json([
            "total": .int(numbers.count), "objectIDs": numbers.isEmpty ? .null : .array(numbers),
        ])
    }

    package static func selection(ofDepartment name: String) -> String? {
        String(ArtworkRecord.Department(name).number)
    }

    private mutating func departments() -> ImitationAnswer {
        var names: [Int: String] = [:]
        for id in state.catalogue.ids(of: .artwork, by: .number) {
            if let department = state.catalogue.object(.artwork, id).flatMap(
                ArtworkRecord.Department.init(of:))
            {
                names[department.number] = department.name
            }
        }
        let all = names.sorted { $0.key < $1.key }.map { number, name -> JSONValue in
            ["departmentId": .int(number), "displayName": .string(name)]
        }
        return .json(["departments": .array(all)])
    }

    // MARK: - Objects

    private func object(_ text: String, _ request: ImitationRequest) -> ImitationAnswer {
        guard let number = Int(text), let id = state.catalogue.id(.artwork, number: number),
            !state.isAway(id), !(state.has(.missingObjects) && state.chooses(id, oneIn: 7)),
            let record = ArtworkRecord(id, in: state.catalogue)
        else { return Self.message("Not a valid object", status: 404) }
        var object = Self.titled(record)
        for part in [Self.dated(record), Self.madeBy(record.makers), Self.pictured(record, request)] {
            for member in part.members { object[member.key] = member.value }
        }
        return .json(object)
    }

    private static func titled(_ record: ArtworkRecord) -> JSONObject {
        let lengths: [(String, JSONValue)] = [("Height", "height"), ("Width", "width"), ("Depth", "depth")]
            .compactMap { name, field in record.centimetres(field).map { (name, .orNull($0, digits: 4)) } }
        let measurement: JSONValue = [
            "elementName": "Overall", "elementDescription": .null,
            "elementMeasurements": .object(JSONObject(lengths)),
        ]
        return JSONObject([
            ("objectID", .int(record.number)), ("isHighlight", false),
            ("accessionNumber", .orEmpty(record.text("accession_number"))),
            ("title", .orEmpty(record.text("title"))), ("medium", .orEmpty(record.text("medium"))),
            ("department", .orEmpty(record.department?.name)),
            ("objectName", .orEmpty(record.text("object_name"))),
            ("classification", .orEmpty(record.text("category"))),
            ("culture", .orEmpty(record.text("culture"))), ("period", .orEmpty(record.text("period"))),
            ("dimensions", .orEmpty(record.dimensions)),
            ("measurements", lengths.isEmpty ? .null : .array([measurement])),
            ("creditLine", .orEmpty(record.text("credit_line"))), ("rightsAndReproduction", ""),
            ("linkResource", ""), ("repository", "Metropolitan Museum of Art, New York, NY"),
            ("objectURL", .string("https://www.metmuseum.org/art/collection/search/\(record.number)")),
            ("tags", .null), ("GalleryNumber", .orEmpty(record.isOnView ? record.gallery?.name : nil)),
        ])
    }

    private static func dated(_ record: ArtworkRecord) -> JSONObject {
        let start = record.year("date_start") ?? 0
        return JSONObject([
            ("objectDate", .orEmpty(record.text("date_text"))), ("objectBeginDate", .int(start)),
            ("objectEndDate", .int(record.year("date_end") ?? start)),
            ("accessionYear", .orEmpty(record.year("acquired").map(String.init))),
            ("metadataDate", .string(record.modified.text)),
        ])
    }

    private static func madeBy(_ makers: [ArtworkRecord.Maker]) -> JSONObject {
        let constituents = makers.map { maker -> JSONValue in
            .object(
                JSONObject([
                    ("constituentID", .int(maker.number)), ("role", .string(role(maker))),
                    ("name", .string(maker.name)), ("constituentULAN_URL", ""),
                    ("constituentWikidata_URL", ""), ("gender", .orEmpty(maker.gender)),
                ]))
        }
        let first = makers.first
        return JSONObject([
            ("constituents", constituents.isEmpty ? .null : .array(constituents)),
            ("artistRole", .orEmpty(first.map(role))), ("artistPrefix", ""), ("artistSuffix", ""),
            ("artistDisplayName", .orEmpty(first?.name)), ("artistDisplayBio", .orEmpty(first?.origin)),
            ("artistAlphaSort", .orEmpty(first?.sortName)),
            ("artistNationality", .orEmpty(first?.nationality)),
            ("artistBeginDate", .orEmpty(first?.birthYear.map(String.init))),
            ("artistEndDate", .orEmpty(first?.deathYear.map(String.init))),
            ("artistGender", .orEmpty(first?.gender)), ("artistWikidata_URL", ""), ("artistULAN_URL", ""),
        ])
    }

    private static func role(_ maker: ArtworkRecord.Maker) -> String { maker.role ?? "Artist" }

    // MARK: - Pictures

    private static func pictured(_ record: ArtworkRecord, _ request: ImitationRequest) -> JSONObject {
        let pictures = record.isPublicDomain ? record.pictures : []
        func url(_ picture: ArtworkRecord.Picture?, _ size: String) -> JSONValue {
            .orEmpty(picture.map { pictureURL("CRDImages/xx/\(size)/\(fileName($0))", request) })
        }
        return JSONObject([
            ("isPublicDomain", .bool(record.isPublicDomain)),
            ("primaryImage", url(pictures.first, "original")),
            ("primaryImageSmall", url(pictures.first, "web-large")),
            ("additionalImages", .array(pictures.dropFirst().map { url($0, "original") })),
        ])
    }

    /// The museum doesn't encode the spaces in its addresses. Here, pictures with an even hash have one.
    private static func fileName(_ picture: ArtworkRecord.Picture) -> String {
        "DP\(hasSpace(picture.id) ? " " : "")\(picture.id).jpg"
    }

    private static func hasSpace(_ id: String) -> Bool {
        id.utf8.last.map { $0 % 2 == 0 } == true
    }

    package func picture(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        guard path.count == 4, path[0] == "CRDImages", ["original", "web-large"].contains(path[2]),
            let found = ArtworkRecord.picture(
                path[3].dropFirst(2).drop { $0 == " " }.prefix { $0 != "." }, in: state.catalogue),
            Self.fileName(found.picture) == path[3], found.artwork.isPublicDomain,
            !state.isMissing(found.picture)
        else { return .status(404) }
        return .jpeg(found.picture, format: path[2] == "original" ? "larger" : "medium")
    }
}
