/// The subject of a page of a partner's web site.
public enum SiteTarget: Sendable, Hashable {
    /// The partner itself.
    case partner
    /// All objects of a kind.
    case list(Kind)
    /// One object by its id or slug.
    case object(Kind, String)
    /// One object in the context of another, such as an artwork in a show.
    case within(Kind, String, of: Kind, String)
}

/// Maps paths and URLs of a partner's web site to objects, and back.
///
/// Accepted are `/artist/x`, `/show/y/artwork/z` and so on, in singular or plural. Scheme, host and the partner's own
/// segment (`/cmoa/artist/x`, `/partner/cmoa/artist/x`) are optional. Query and fragment are ignored.
public enum SitePath {
    /// The subject of a path or URL; `nil` if it isn't a page of the site.
    ///
    /// - Parameters:
    ///   - address: a path or an absolute URL.
    ///   - partner: the partner's id or slug. If it is given, only this may be the optional first segment; otherwise any
    ///     segment may.
    ///   - kinds: the mirror's kinds. Listed kinds and documents have pages.
    public static func target(
        _ address: String, partner: String? = nil, among kinds: Kinds = .standard
    ) -> SiteTarget? {
        guard var rest = segments(of: address)?[...] else { return nil }
        if let target = target(rest, kinds) { return target }
        if rest.first == "partner", rest.count > 1 { rest.removeFirst() }
        guard let first = rest.first, partner.map({ UTF8Order.equal($0, first) }) ?? true else { return nil }
        rest.removeFirst()
        return target(rest, kinds)
    }

    /// The path of a target: the inverse of ``target(_:partner:among:)``. Ids become one encoded segment each.
    public static func path(_ target: SiteTarget) -> String {
        switch target {
        case .partner: "/"
        case .list(let kind): "/\(kind.plural)"
        case .object(let kind, let key): "/\(kind.name)/\(PercentEncoding.encode(key))"
        case .within(let kind, let key, let outer, let outerKey):
            path(.object(outer, outerKey)) + path(.object(kind, key))
        }
    }

    /// The subject of a path's decoded segments, without the partner's own segment; `nil` if it isn't a page of the site.
    package static func target(segments: ArraySlice<String>, among kinds: Kinds = .standard) -> SiteTarget? {
        target(segments, kinds)
    }

    private static func target(_ segments: ArraySlice<String>, _ kinds: Kinds) -> SiteTarget? {
        let parts = Array(segments)
        guard let word = parts.first else { return .partner }
        func find(_ word: String) -> Kind? {
            kinds.all.first { ($0.isListed || $0.isPart) && ($0.name == word || $0.plural == word) }
        }
        guard let kind = find(word) else { return nil }
        switch parts.count {
        // The id of a part is only unique within its owner.
        case 1 where !kind.isPart: return .list(kind)
        case 2 where !kind.isPart: return .object(kind, parts[1])
        case 4:
            guard let inner = find(parts[2]), hasPages(inner, under: kind) else { return nil }
            return .within(inner, parts[3], of: kind, parts[1])
        default: return nil
        }
    }

    /// Whether objects of a kind have pages under objects of another kind.
    private static func hasPages(_ kind: Kind, under outer: Kind) -> Bool {
        switch kind {
        case .artwork: outer.hasMembers || outer == .artist
        case .document: outer.hasDocuments
        default: false
        }
    }

    /// Whether a text is plausible as a host with an optional port: not empty, with balanced brackets and valid characters.
    private static func isHost(_ host: Substring) -> Bool {
        let isBracketed = host.hasPrefix("[")
        guard !host.isEmpty, isBracketed == host.contains("]"), isBracketed == host.contains("[") else {
            return false
        }
        return host.allSatisfy { $0.isLetter || $0.isNumber || "-._~:[]%@".contains($0) }
    }

    /// The decoded segments of a path, or of the path of a URL.
    private static func segments(of address: String) -> [String]? {
        var path = address.prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.firstRange(of: "://"), !path[..<scheme.lowerBound].contains("/") {
            let rest = path[scheme.upperBound...]
            guard isHost(rest.prefix { $0 != "/" }) else { return nil }
            path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
        }
        let parts = path.split(separator: "/"), segments = parts.compactMap { PercentEncoding.decode($0) }
        return segments.count == parts.count ? segments : nil
    }
}
