import Catalogue

/// A request for a page: the decoded path and query, and what belongs to the path beside the mirrors.
struct PageTarget: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        /// The list of mirrors.
        case mirrors
        case stylesheet, script
        /// Where the form in the footer sends the chosen wall.
        case wall
        case login
        /// Below the mirror with a name, if there is one.
        case below(String)
    }

    let place: Place
    /// All decoded segments.
    let segments: [String]
    /// The query as forms send it, where `+` is a space.
    let query: [NameValue]
    /// The path and query as they were requested.
    let raw: String

    /// Names of the first segment that no mirror has.
    static let reserved: Set<String> = ["api", "assets", "login", "status", "_session", "sources"]

    /// Reads a request's target; `nil` if it can't be decoded.
    static func parse(_ target: String) -> PageTarget? {
        let path = target.prefix { $0 != "?" }
        guard let parsed = RequestTarget.parse(path: String(path)),
            let query = FormBody.parse(target[path.endIndex...].dropFirst().utf8),
            parsed.segments.allSatisfy({ !$0.utf8.contains(0) })
        else { return nil }
        let place: Place
        switch parsed.segments {
        case []: place = .mirrors
        case ["assets", "style.css"]: place = .stylesheet
        case ["assets", "script.js"]: place = .script
        case ["assets", "wall"]: place = .wall
        case ["login"]: place = .login
        default: place = .below(parsed.segments[0])
        }
        return PageTarget(place: place, segments: parsed.segments, query: query, raw: target)
    }

    /// The path without the query.
    static func pathOnly(_ raw: String) -> Substring { raw.prefix { $0 != "?" } }

    /// The query with its question mark; empty without a query.
    var queryText: Substring { raw[Self.pathOnly(raw).endIndex...] }

    /// The longest address that a page repeats, and that it makes of a text of the catalogue, in bytes.
    static let longestLink = 2_000

    /// The path and query as a link to the same page; that of the first page if they are too long to be repeated.
    var link: String { raw.utf8.count <= Self.longestLink ? Self.local(raw) : "/" }

    /// The value of a query item; of several with one name, the last.
    subscript(name: String) -> String? { query.last { UTF8Order.equal($0.name, name) }?.value }

    /// The path as a link: a path of this server for sure, whatever it contained.
    ///
    /// Browsers read `//host` and `/\host` as addresses of other hosts, so these become the first page.
    static func local(_ path: String?) -> String {
        let start = Array((path ?? "").utf8.prefix(2))
        guard start.first == UInt8(ascii: "/"),
            start.count < 2 || start[1] != UInt8(ascii: "/") && start[1] != UInt8(ascii: "\\"),
            (path ?? "").utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return path ?? "/"
    }
}
