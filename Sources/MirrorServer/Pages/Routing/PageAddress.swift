import Catalogue

/// What a page below `/{mirror}` is about.
///
/// Paths are those of ``Catalogue/SitePath``, with `search`, `history` and `picture` beside them. Each page has a JSON form,
/// whose path ends in `.json`.
enum PageAddress: Hashable, Sendable {
    case home
    case list(Kind)
    case object(Kind, String)
    /// An artwork in the context of a show, artist, album or location.
    case member(String, of: Owner)
    /// The file of a document.
    case document(String, of: Owner)
    /// The changes of one object.
    case objectHistory(Kind, String)
    case search
    case history
    case run(String)
    /// The file of a picture, by the hash of its bytes.
    case picture(String)

    /// Reads the decoded segments below the mirror; `nil` if no page has this path.
    static func parse(_ segments: ArraySlice<String>, among kinds: Kinds = .standard) -> PageAddress? {
        let parts = segments.map(DotSegment.read)
        switch (parts.first, parts.count) {
        case (nil, _): return .home
        case ("search", 1): return .search
        case ("history", 1): return .history
        case ("history", 3) where parts[1] == "run": return .run(parts[2])
        case ("picture", 2): return .picture(parts[1])
        default: break
        }
        if parts.count == 3, parts[2] == "history",
            case .object(let kind, let key) = SitePath.target(segments: parts[..<2], among: kinds)
        {
            return .objectHistory(kind, key)
        }
        switch SitePath.target(segments: parts[...], among: kinds) {
        case .list(let kind)?: return .list(kind)
        case .object(let kind, let key)?: return .object(kind, key)
        case .within(.document, let id, let outer, let key)?: return .document(id, of: Owner(outer, key))
        case .within(_, let id, let outer, let key)?: return .member(id, of: Owner(outer, key))
        case .partner?, nil: return nil
        }
    }

    /// The path below `/{mirror}`; empty for the home page. Ids become one encoded segment each.
    var path: String {
        func encoded(_ text: String) -> String { PercentEncoding.encode(text) }
        func spelled(_ id: String) -> String { DotSegment.spell(id) }
        return switch self {
        case .home: ""
        case .list(let kind): SitePath.path(.list(kind))
        case .object(let kind, let key): SitePath.path(.object(kind, spelled(key)))
        case .member(let id, let owner):
            SitePath.path(.within(.artwork, spelled(id), of: owner.kind, spelled(owner.id)))
        case .document(let id, let owner):
            SitePath.path(.within(.document, spelled(id), of: owner.kind, spelled(owner.id)))
        case .objectHistory(let kind, let key): SitePath.path(.object(kind, spelled(key))) + "/history"
        case .search: "/search"
        case .history: "/history"
        case .run(let number): "/history/run/\(encoded(number))"
        case .picture(let hash): "/picture/\(encoded(hash))"
        }
    }

    /// The address without the suffix `.json`; `nil` if it doesn't end in it.
    var withoutSuffix: PageAddress? {
        switch self {
        case .object(let kind, let key): Self.withoutSuffix(key).map { .object(kind, DotSegment.read($0)) }
        case .member(let id, let owner):
            Self.withoutSuffix(id).map { .member(DotSegment.read($0), of: owner) }
        case .run(let number): Self.withoutSuffix(number).map { .run($0) }
        default: nil
        }
    }

    /// A text without the suffix `.json`; `nil` if it doesn't end in it, or is nothing else.
    static func withoutSuffix(_ text: String) -> String? {
        // By bytes, because a combining character after the suffix would be part of its last character.
        let suffix = suffix.utf8
        guard text.utf8.count > suffix.count, text.utf8.suffix(suffix.count).elementsEqual(suffix) else {
            return nil
        }
        return String(decoding: text.utf8.dropLast(suffix.count), as: UTF8.self)
    }

    static let suffix = ".json"

    /// Reads segments of which the last ends in `.json`, where no id can contain the suffix: lists, search and histories.
    static func parseJSON(_ segments: ArraySlice<String>, among kinds: Kinds = .standard) -> PageAddress? {
        guard let last = segments.last.flatMap(withoutSuffix) else { return nil }
        let address = parse(segments.dropLast() + [last], among: kinds)
        switch address {
        case .list, .search, .history, .objectHistory: return address
        default: return nil
        }
    }
}

/// How the ids `.` and `..` are spelled in a path.
///
/// Browsers remove such segments, even percent-encoded ones. So these ids get a tilde before them, and so does an id that
/// already is such a spelling. Every other id is spelled as it is.
package enum DotSegment {
    /// The spelling of an id.
    package static func spell(_ id: String) -> String { isDots(id) ? "~" + id : id }

    /// The id with a spelling. A dot segment without a tilde, which only programs send, is its own id.
    package static func read(_ segment: String) -> String {
        isDots(segment) && segment.utf8.first == UInt8(ascii: "~") ? String(segment.dropFirst()) : segment
    }

    /// Whether a text is one or two dots after any number of tildes.
    private static func isDots(_ text: String) -> Bool {
        let dots = text.utf8.drop { $0 == UInt8(ascii: "~") }
        return dots.elementsEqual(".".utf8) || dots.elementsEqual("..".utf8)
    }
}
