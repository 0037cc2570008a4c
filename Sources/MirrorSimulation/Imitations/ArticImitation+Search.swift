import Catalogue

/// The search, as far as a mirror needs it: all artworks, those whose titles contain a word, and those updated since an instant.
///
/// Documentation promises 10,000 results. The code, and clients, say 1,000.
extension ArticImitation {
    static let window = 1_000

    mutating func search(_ request: ImitationRequest) -> ImitationAnswer {
        guard let query = Self.query(request) else {
            return Self.failure(400, "Invalid query", "The query is no JSON object.")
        }
        func number(_ names: [String], _ value: Int) -> Int? {
            for name in names {
                if let number = query[name]?.numberValue?.intValue ?? request[name].flatMap({ Int($0) }) {
                    return number >= 0 ? number : nil
                }
            }
            return value
        }
        guard let size = number(["size", "limit"], 10), size <= 100 else {
            return Self.failure(403, "Invalid limit", "You have requested too many items per page.")
        }
        guard let page = number(["page"], 1), page >= 1, page <= Self.window,
            let from = number(["from"], (page - 1) * size), from <= Self.window, from + size <= Self.window
        else {
            return Self.failure(
                403, "Invalid number of results",
                "You have requested too many results. Only the first \(Self.window) are available.")
        }
        let since: Timestamp?
        do { since = try Self.since(query, request) } catch {
            return Self.failure(400, "Invalid query", "Only a range of updated_at is understood here.")
        }
        let word = (query["q"]?.stringValue ?? request["q"])?.lowercased()
        let found = state.catalogue.ids(of: .artwork, by: .latestFirst).filter { id in
            guard let entry = state.catalogue.entry(.artwork, id) else { return false }
            if let since, entry.restamped < since { return false }
            guard let word, !word.isEmpty else { return true }
            return entry.object["title"]?.stringValue?.lowercased().contains(word) == true
        }
        let records = found.dropFirst(from).prefix(size).compactMap { self.result($0, query, request) }
        var pagination = Self.pagination(total: found.count, limit: size, offset: from)
        if size > 0 {
            pagination["total_pages"] = .int((found.count + size - 1) / size)
            pagination["current_page"] = .int(from / size + 1)
        }
        return Self.body(.array(records), pagination: pagination, request)
    }

    private mutating func result(
        _ id: String, _ query: JSONObject, _ request: ImitationRequest
    ) -> JSONValue? {
        guard case .object(var record)? = record(.artwork, id, request) else { return nil }
        if request["fields"] == nil {
            let fields =
                query["fields"]?.arrayValue?.compactMap(\.stringValue)
                ?? ["id", "api_model", "title", "thumbnail", "timestamp"]
            record = record.only(fields.joined(separator: ","))
        }
        record["_score"] = 1
        return .object(record)
    }

    /// The request's JSON: the body of a `POST`, or `params`. An empty object if there is none; `nil` if it is no object.
    private static func query(_ request: ImitationRequest) -> JSONObject? {
        let body = request.method == "POST" ? request.body : []
        let bytes = body.isEmpty ? Array((request["params"] ?? "{}").utf8) : body
        return (try? JSONValue(parsing: bytes))?.objectValue
    }

    private struct UnknownQuery: Error {}

    /// The instant of `query[range][updated_at][gte]`, as JSON or as the name of an item; `nil` if there is no query.
    private static func since(_ query: JSONObject, _ request: ImitationRequest) throws -> Timestamp? {
        let text: String?
        if let elastic = query["query"] {
            let range = elastic.objectValue?["range"]?.objectValue?["updated_at"]?.objectValue
            text = range?["gte"]?.stringValue
        } else {
            guard let item = request.target.query.first(where: { $0.name.hasPrefix("query[") }) else {
                return nil
            }
            text = item.name == "query[range][updated_at][gte]" ? item.value : nil
        }
        guard let since = text.flatMap({ Timestamp($0) }) else { throw UnknownQuery() }
        return since
    }
}
