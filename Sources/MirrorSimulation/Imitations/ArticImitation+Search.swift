import Catalogue

/// The search, as far as a mirror needs it: by ``ArticQuery``, and by a word of the title.
///
/// Documentation promises 10,000 results. The code, and clients, say 1,000. Results are sorted by relevance, of which nothing is
/// imitated: without a stated order, they come in one that has no meaning.
extension ArticImitation {
    static let window = 1_000

    package static func selection(ofDepartment name: String) -> String? {
        id(of: ArtworkRecord.Department(name))
    }

    mutating func search(_ request: ImitationRequest) -> ImitationAnswer {
        guard let json = Self.json(request) else {
            return Self.failure(400, "Invalid query", "The query is no JSON object.")
        }
        func number(_ names: [String], _ value: Int) -> Int? {
            for name in names {
                if let number = json[name]?.numberValue?.intValue ?? request[name].flatMap({ Int($0) }) {
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
        guard let query = ArticQuery(json, request.target.query) else {
            return Self.failure(
                400, "Invalid query",
                "Only a range of updated_at, a department_id and an order by updated_at are understood here."
            )
        }
        let word = (json["q"]?.stringValue ?? request["q"])?.lowercased()
        var found = found(query, word)
        if query.order == .latestFirst, page == 2, bumpsOne(of: found.dropFirst(size * 2)) {
            found = self.found(query, word)
        }
        let records = found.dropFirst(from).prefix(size).compactMap {
            result($0, json, request, score: query.order == nil ? 1 : .null)
        }
        var pagination = Self.pagination(total: found.count, limit: size, offset: from)
        if size > 0 {
            pagination["total_pages"] = .int((found.count + size - 1) / size)
            pagination["current_page"] = .int(from / size + 1)
        }
        return Self.body(.array(records), pagination: pagination, request)
    }

    /// The ids of the artworks that a search finds, in its order.
    private mutating func found(_ query: ArticQuery, _ word: String?) -> [String] {
        let order: ImitatedCatalogue.Order = query.order == nil ? .hashed : .latestFirst
        let ids = state.catalogue.ids(of: .artwork, by: order).filter { id in
            guard let entry = state.catalogue.entry(.artwork, id), query.includes(entry) else { return false }
            guard let word, !word.isEmpty else { return true }
            return entry.object["title"]?.stringValue?.lowercased().contains(word) == true
        }
        return query.order == .latestLast ? ids.reversed() : ids
    }

    private mutating func result(
        _ id: String, _ json: JSONObject, _ request: ImitationRequest, score: JSONValue
    ) -> JSONValue? {
        guard case .object(var record)? = record(.artwork, id, request) else { return nil }
        if request["fields"] == nil {
            let fields =
                json["fields"]?.arrayValue?.compactMap(\.stringValue)
                ?? ["id", "api_model", "title", "thumbnail", "timestamp"]
            record = record.only(fields.joined(separator: ","))
        }
        record["_score"] = score
        return .object(record)
    }

    /// The request's JSON: the body of a `POST`, or `params`. An empty object if there is none; `nil` if it is no object.
    private static func json(_ request: ImitationRequest) -> JSONObject? {
        let body = request.method == "POST" ? request.body : []
        let bytes = body.isEmpty ? Array((request["params"] ?? "{}").utf8) : body
        return (try? JSONValue(parsing: bytes))?.objectValue
    }
}
