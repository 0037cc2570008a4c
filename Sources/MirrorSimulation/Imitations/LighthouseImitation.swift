import Catalogue

/// A museum that doesn't exist, with an API as a newcomer finds one: no documentation but its answers.
///
/// - `/works?start=0&count=50` lists works by their numbers, at most 50 in an answer, with the total as `count_all`.
/// - `/works/LH-12` answers one work below `work`; 404 with `{"fault":"no such work"}` if there is none.
/// - Texts have HTML, changes have times in a local form, and the licence stands in words beside each picture.
package struct LighthouseImitation: Imitation {
    package static let base = "https://api.lighthouse.example/open"
    package static let pictureHost = "media.lighthouse.example"
    package static let faults: [ImitationFault] = [.missingPictures, .totalMoves]

    package var state: ImitationState

    package init(_ state: ImitationState) { self.state = state }

    package func id(ofArtwork id: String) -> String { "LH-\(MuseumNumber.of(id))" }

    private static let largest = 50

    package mutating func answer(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        switch (path.first, path.count) {
        case ("works", 1): return list(request)
        case ("works", 2):
            guard path[1].hasPrefix("LH-"), let number = Int(path[1].dropFirst(3)),
                let id = state.catalogue.id(.artwork, number: number), let work = work(id, request)
            else { return Self.fault("no such work", status: 404) }
            return .json(["work": work])
        default: return Self.fault("no such page", status: 404)
        }
    }

    private static func fault(_ text: String, status: Int) -> ImitationAnswer {
        .json(["fault": .string(text)], status: status)
    }

    private mutating func list(_ request: ImitationRequest) -> ImitationAnswer {
        guard let start = request.number("start", default: 0),
            let count = request.number("count", default: 20), count <= Self.largest
        else { return Self.fault("start and count must be numbers, and count at most 50", status: 400) }
        let ids = state.catalogue.ids(of: .artwork, by: .number)
        let works = ids.dropFirst(start).prefix(count).compactMap { work($0, request) }
        let total = ids.count + (state.has(.totalMoves) && state.requests % 2 == 0 ? 1 : 0)
        return .json(["count_all": .int(total), "start": .int(start), "works": .array(works)])
    }

    private func work(_ id: String, _ request: ImitationRequest) -> JSONValue? {
        guard let record = ArtworkRecord(id, in: state.catalogue) else { return nil }
        let hands = record.makers.map { maker -> JSONValue in
            [
                "ref": .string("P-\(maker.number)"), "who": .string(maker.name),
                "did": .string(maker.role ?? "artist"), "from": .orEmpty(maker.nationality),
                "lived": .string(
                    maker.birthYear.map { "\($0)–\(maker.deathYear.map(String.init) ?? "")" } ?? ""),
            ]
        }
        let pictures = record.pictures.map { picture -> JSONValue in
            [
                "file": .string(Self.pictureURL("big/\(picture.id).jpg", request)),
                "wide": .string("\(picture.width) px"), "high": .string("\(picture.height) px"),
                "licence": record.isPublicDomain ? "free to use (CC0)" : "all rights reserved",
            ]
        }
        return .object(
            JSONObject([
                ("ref", .string(self.id(ofArtwork: id))), ("name", .orEmpty(record.text("title"))),
                ("made", .orEmpty(record.text("date_text"))), ("stuff", .orEmpty(record.text("medium"))),
                ("size", .orEmpty(record.dimensions)), ("sort", .orEmpty(record.text("category"))),
                ("given", .orEmpty(record.text("credit_line"))),
                ("inventory", .orEmpty(record.text("accession_number"))),
                ("room", .orEmpty(record.isOnView ? record.gallery?.name : nil)),
                (
                    "about",
                    .orEmpty(record.text("provenance").map { "<p>\($0.replacing("&", with: "&amp;"))</p>" })
                ),
                ("hands", .array(hands)), ("pictures", .array(pictures)),
                ("touched", .string(record.modified.dayFirst)),
            ]))
    }

    package func picture(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        guard path.count == 2, path[0] == "big", path[1].hasSuffix(".jpg"),
            let found = ArtworkRecord.picture(path[1].dropLast(4), in: state.catalogue),
            !state.isMissing(found.picture)
        else { return .status(404) }
        return .jpeg(found.picture)
    }
}
