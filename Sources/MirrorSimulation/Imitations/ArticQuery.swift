import Catalogue

/// What the search of the Art Institute of Chicago is asked for: the part of Elasticsearch's language that is understood here.
///
/// - `{"range":{"updated_at":{"gte":"2026-01-31"}}}`: what was updated at this instant or later.
/// - `{"term":{"department_id":"PC-1"}}`: the artworks of a department. `{"value":"PC-1"}` in place of the text means the same.
/// - `{"updated_at":"desc"}` as `sort`, or `asc`.
///
/// Each may be JSON, or an item of the query such as `query[term][department_id]=PC-1`. As in Elasticsearch, a query has one clause.
struct ArticQuery {
    enum Order: Equatable { case latestFirst, latestLast }

    private(set) var since: Timestamp?
    private(set) var department: String?
    /// By the time of the server's copy; `nil` for the order by relevance.
    private(set) var order: Order?

    /// - Returns: `nil` if something else is asked for.
    init?(_ json: JSONObject, _ items: [NameValue]) {
        guard readClause(Self.paths(json["query"], "query", items)),
            readOrder(Self.paths(json["sort"], "sort", items))
        else { return nil }
    }

    /// Whether a search finds an artwork.
    func includes(_ artwork: ImitatedCatalogue.Entry) -> Bool {
        if let since, artwork.restamped < since { return false }
        guard let department else { return true }
        return ArtworkRecord.Department(of: artwork.object).map(ArticImitation.id(of:)) == department
    }

    private mutating func readClause(_ paths: [String: String]) -> Bool {
        guard let (path, value) = paths.first, paths.count == 1 else { return paths.isEmpty }
        switch path {
        case "[range][updated_at][gte]": since = Timestamp(value)
        case "[term][department_id]", "[term][department_id][value]": department = value
        default: return false
        }
        return since != nil || department != nil
    }

    private mutating func readOrder(_ paths: [String: String]) -> Bool {
        guard let (path, value) = paths.first, paths.count == 1 else { return paths.isEmpty }
        guard path == "[updated_at]" || path == "[updated_at][order]" else { return false }
        order = ["desc": .latestFirst, "asc": .latestLast][value]
        return order != nil
    }

    /// The texts in a JSON value, or else in the items of the query below a name, each with its path, such as `[term][department_id]`.
    ///
    /// What is no text is an empty one.
    private static func paths(_ json: JSONValue?, _ name: String, _ items: [NameValue]) -> [String: String] {
        var found: [String: String] = [:]
        func add(_ value: JSONValue, _ path: String) {
            guard let members = value.objectValue?.members, !members.isEmpty else {
                found[path] = value.stringValue ?? ""
                return
            }
            for member in members { add(member.value, "\(path)[\(member.key)]") }
        }
        if let json {
            add(json, "")
        } else {
            for item in items where item.name.hasPrefix("\(name)[") {
                found[String(item.name.dropFirst(name.count))] = item.value
            }
        }
        return found
    }
}
