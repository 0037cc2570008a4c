extension CanonicalURL {
    /// The canonical URL that `reference` (as in `Location`) names when it is found at the absolute URL `base`
    /// (RFC 3986, section 5.2).
    package static func resolve(_ reference: String, against base: String) -> String {
        var reference = reference
        let parts = reference.withUTF8 { URLParts($0) }
        if parts.scheme != nil { return normalise(reference) }
        let base = normalise(base)
        guard let colon = base.utf8.firstIndex(of: 0x3A) else { return normalise(reference) }
        if parts.authority != nil { return normalise(base[...colon] + reference) }
        let path = base.utf8.prefix { $0 != 0x3F }
        if parts.path.isEmpty {
            return parts.query == nil ? base : normalise(String(Substring(path)) + reference)
        }
        if reference.utf8.first == 0x2F { return normalise(origin(of: base) + reference) }
        let folder = path.lastIndex(of: 0x2F).map { base[...$0] } ?? base[...]
        return normalise(folder + reference)
    }

    private static func normalise(_ url: Substring) -> String { normalise(String(url)) }
}
