import Catalogue

/// SMK, the National Gallery of Denmark: complete records by offset, with object numbers as ids.
///
/// Not published, and so chosen here: `rows` above 2,000 is lowered to that, and an invalid parameter is answered with 400.
package struct SMKImitation: Imitation {
    package static let base = "https://api.smk.dk/api/v1"
    package static let pictureHost = "iip.smk.dk"
    package static let faults: [ImitationFault] = [
        .duplicatePictures, .spacesInNumbers, .missingPictures,
    ]

    package var state: ImitationState

    package init(_ state: ImitationState) { self.state = state }

    static let largest = 2_000
    /// Above this number of complete records in an answer, the server drops the connection.
    static let largestOfCompleteRecords = 250

    /// The object number. Half of them have a space; with ``ImitationFault/spacesInNumbers`` all have.
    package func id(ofArtwork id: String) -> String {
        let number = MuseumNumber.of(id)
        return state.has(.spacesInNumbers) || number % 2 == 0 ? "KMS \(number)" : "KMS\(number)"
    }

    package mutating func answer(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        switch path {
        case ["art", "search"]: search(request)
        case ["art"]: object(request)
        default: .status(404)
        }
    }

    // MARK: - Lists

    private mutating func search(_ request: ImitationRequest) -> ImitationAnswer {
        guard let rows = request.number("rows", default: 10),
            let offset = request.number("offset", default: 0),
            let found = foundIDs(request)
        else { return .status(400) }
        let size = min(rows, Self.largest)
        let ids = found.dropFirst(offset).prefix(size)
        var answer = ImitationAnswer.json([
            "offset": .int(offset), "rows": .int(size), "found": .int(found.count),
            "items": .array(ids.compactMap { record($0, request).map(JSONValue.object) }),
        ])
        answer.isCutOff = request["fields"] == nil && ids.count > Self.largestOfCompleteRecords
        return answer
    }

    /// What a search finds, in its order; `nil` if a parameter is invalid.
    private mutating func foundIDs(_ request: ImitationRequest) -> [String]? {
        let all = state.catalogue.ids(of: .artwork, by: .hashed)
        // The pages of one search differ in these alone.
        let query = request.target.query.filter { !["offset", "rows", "fields", "lang"].contains($0.name) }
        let name = "\(state.has(.spacesInNumbers)) \(FormBody.encode(query))"
        if let found = state.catalogue.found[name] { return found }
        let found = filtered(all, request)
        state.catalogue.found[name] = found
        return found
    }

    private func filtered(_ all: [String], _ request: ImitationRequest) -> [String]? {
        guard let filters = Self.bracketed(request["filters"]), let ranges = Self.bracketed(request["range"])
        else { return nil }
        var ids = all
        if let key = request["keys"], key != "*" {
            let word = key.lowercased()
            ids = ids.filter {
                state.catalogue.object(.artwork, $0)?["title"]?.stringValue?.lowercased().contains(word)
                    == true
            }
        }
        for filter in filters {
            guard ["true", "false"].contains(filter.value) else { return nil }
            let isWanted = filter.value == "true"
            switch filter.name {
            case "public_domain": ids = records(ids) { $0.isPublicDomain == isWanted }
            case "has_image": ids = records(ids) { $0.pictures.isEmpty != isWanted }
            case "on_display": ids = records(ids) { $0.isOnView == isWanted }
            default: return nil
            }
        }
        for range in ranges {
            guard let limits = Self.limits(range.value) else { return nil }
            switch range.name {
            case "modified": ids = records(ids) { limits.contains($0.modified) }
            case "production_dates_start":
                ids = records(ids) {
                    $0.year("date_start").map { limits.contains(Timestamp(year: $0)) } == true
                }
            default: return nil
            }
        }
        return sorted(ids, request)
    }

    private func records(_ ids: [String], _ isIncluded: (ArtworkRecord) -> Bool) -> [String] {
        ids.filter { ArtworkRecord($0, in: state.catalogue).map(isIncluded) == true }
    }

    private func sorted(_ ids: [String], _ request: ImitationRequest) -> [String]? {
        guard let sort = request["sort"] else { return ids }
        let key: (String) -> String
        switch sort {
        case "object_number": key = id(ofArtwork:)
        case "modified":
            key = { id in "\(state.catalogue.entry(.artwork, id)?.modified.text ?? "") \(id)" }
        default: return nil
        }
        let order = ids.map { ($0, key($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
        return request["sort_type"] == "desc" ? order.reversed() : order
    }

    /// Reads `[name:value],[name:value]`; `nil` if the text has another form.
    private static func bracketed(_ text: String?) -> [NameValue]? {
        guard let text, !text.isEmpty else { return [] }
        guard text.first == "[", text.last == "]" else { return nil }
        var items: [NameValue] = []
        for item in text.dropFirst().dropLast().split(separator: "],[") {
            guard let colon = item.firstIndex(of: ":") else { return nil }
            items.append(
                NameValue(String(item[..<colon]), String(item[item.index(after: colon)...])))
        }
        return items
    }

    /// Reads `{from;to}`, each an instant or `*`, both included.
    private static func limits(_ text: String) -> ClosedRange<Timestamp>? {
        guard text.first == "{", text.last == "}" else { return nil }
        let parts = text.dropFirst().dropLast().split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 2,
            let from = parts[0] == "*" ? Timestamp(seconds: .min) : Timestamp(String(parts[0])),
            let to = parts[1] == "*" ? Timestamp(seconds: .max) : Timestamp(String(parts[1])), from <= to
        else { return nil }
        return from...to
    }

    // MARK: - Objects

    /// Answers `/art/?object_number=…`. What doesn't exist is an answer without items.
    private mutating func object(_ request: ImitationRequest) -> ImitationAnswer {
        guard let text = request["object_number"] else { return .status(400) }
        let digits = text.hasPrefix("KMS") ? text.dropFirst(3).drop { $0 == " " } : ""
        let id = Int(digits).flatMap { state.catalogue.id(.artwork, number: $0) }
            .flatMap { self.id(ofArtwork: $0) == text ? $0 : nil }
        let items = id.flatMap { record($0, request) }.map { [JSONValue.object($0)] } ?? []
        return .json([
            "offset": 0, "rows": .int(items.count), "found": .int(items.count), "items": .array(items),
        ])
    }

    // MARK: - Pictures

    package func picture(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        let isNative = path.count == 2 && path[0] == "native" && path[1].hasSuffix(".jpg")
        let size = path.first == "iiif" && path.count == 7 ? IIIFSize(path[3...]) : nil
        let name = isNative ? path[1].dropLast(4) : path.count == 7 ? path[2].dropLast(Self.ending.count) : ""
        guard isNative || size != nil && path[1] == "jp2" && path[2].hasSuffix(Self.ending),
            let found = ArtworkRecord.picture(name, in: state.catalogue), !state.isMissing(found.picture),
            Self.isNative(found.artwork) == isNative
        else { return .status(404) }
        return .jpeg(found.picture, format: size?.format ?? "larger")
    }
}
