/// Computes the canonical form of a URL, which is the cache's key.
///
/// URLs that are equivalent by RFC 3986 have the same canonical URL, and so the same cache entry. Normalisation is
/// idempotent. URLs that only some servers treat alike (`+` and `%20`, `a` and `a=`, an encoded and a plain slash) stay
/// different.
public enum CanonicalURL {
    /// Converts a URL to its canonical form (RFC 3986, sections 6.2.2 and 6.2.3). Idempotent.
    ///
    /// - Scheme and host are converted to lower case. A default or empty port is dropped, and so is user information,
    ///   which is a credential.
    /// - Percent-encoding: hexadecimal digits are in upper case, unreserved characters are decoded, characters that are
    ///   not allowed in a URL are encoded.
    /// - Path: `.` and `..` segments are resolved, an empty path becomes `/`. An *encoded* dot segment (`%2E`,
    ///   `%2e%2E`, `.%2E`) is an id that looks like a dot segment: it stays encoded and isn't resolved.
    /// - Query: items are sorted by name, items of equal name keep their order. Empty items and an empty query are dropped.
    /// - The fragment is dropped.
    ///
    /// Text that isn't a URL is returned with its percent-encoding normalised.
    public static func normalise(_ url: String) -> String {
        var url = url
        return url.withUTF8 { normalise($0) }
    }

    /// A canonical URL relative to `base`, which must also be canonical.
    ///
    /// - A URL below the base becomes the part after the base (`/artwork/x`).
    /// - Another URL of the same origin becomes `origin:` and its path (`origin:/status`).
    /// - A URL of another origin stays absolute.
    ///
    /// The result doesn't change when the server moves to another host, port or path prefix.
    public static func relative(_ url: String, to base: String) -> String {
        let base = withoutTrailingSlash(base)
        if let rest = rest(of: url, after: base) { return rest }
        let origin = origin(of: base)
        if !origin.isEmpty, let rest = rest(of: url, after: origin) { return "origin:" + rest }
        return url
    }

    private static func withoutTrailingSlash(_ base: String) -> Substring {
        base.utf8.last == 0x2F ? base.dropLast() : base[...]
    }

    private static func rest(of url: String, after prefix: Substring) -> String? {
        guard url.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = url.utf8.dropFirst(prefix.utf8.count)
        guard rest.isEmpty || rest.first == 0x2F || rest.first == 0x3F else { return nil }
        return String(Substring(rest))
    }

    /// Scheme and authority of an absolute canonical URL (`https://host:8443`); empty for other text.
    package static func origin(of url: some StringProtocol) -> Substring {
        let text = Substring(url)
        guard let colon = text.utf8.firstIndex(of: 0x3A) else { return "" }
        let rest = text.utf8[colon...].dropFirst()
        guard rest.starts(with: "//".utf8) else { return "" }
        let authority = rest.dropFirst(2).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
        return text[..<authority.endIndex]
    }

    private static func normalise(_ text: UnsafeBufferPointer<UInt8>) -> String {
        let parts = URLParts(text)
        var out: [UInt8] = []
        out.reserveCapacity(text.count + 8)
        var scheme: [UInt8] = []
        if let range = parts.scheme {
            scheme = text[range].map(\.lowered)
            out += scheme
            out.append(0x3A)
        }
        if let range = parts.authority {
            out += "//".utf8
            append(authority: text[range], scheme: scheme, to: &out)
        }
        append(path: text[parts.path], parts: parts, to: &out)
        if let range = parts.query { append(query: text[range], to: &out) }
        return String(decoding: out, as: UTF8.self)
    }

    private static func append(
        authority: UnsafeBufferPointer<UInt8>.SubSequence, scheme: [UInt8], to out: inout [UInt8]
    ) {
        let start = authority.lastIndex(of: 0x40).map { $0 + 1 } ?? authority.startIndex
        var host = authority[start...]
        var port = host[host.endIndex...]
        if let colon = host.lastIndex(of: 0x3A),
            host[colon...].dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        {
            port = host[(colon + 1)...].drop { $0 == 0x30 }
            host = host[..<colon]
        }
        let isLiteral = host.first == 0x5B && host.last == 0x5D
        out.append(normalising: host, allowed: isLiteral ? .literal : .host, lower: true)
        let isDefault =
            scheme.elementsEqual("http".utf8) && port.elementsEqual("80".utf8)
            || scheme.elementsEqual("https".utf8) && port.elementsEqual("443".utf8)
        if !port.isEmpty, !isDefault {
            out.append(0x3A)
            out += port
        }
    }

    private static func append(
        path: UnsafeBufferPointer<UInt8>.SubSequence, parts: URLParts, to out: inout [UInt8]
    ) {
        let isRooted = path.first == 0x2F || parts.authority != nil
        let written = (isRooted ? path.dropFirst() : path).split(
            separator: 0x2F, omittingEmptySubsequences: false)
        var segments: [[UInt8]] = []
        for (index, segment) in written.enumerated() {
            let isDots = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
            if !isRooted {
                // Dots in a relative reference or an opaque path can't be resolved. A colon in its first segment would
                // be read as the end of a scheme.
                let mayHaveColon = index > 0 || parts.scheme != nil
                segments.append(
                    isDots
                        ? Array(segment) : canonical(segment, mayHaveColon ? .segment : .segmentWithoutColon))
            } else if isDots {
                if segment.count == 2 { _ = segments.popLast() }
                if index == written.count - 1 { segments.append([]) }
            } else {
                segments.append(canonical(segment, .segment))
            }
        }
        // Without an authority, two leading slashes would be read as the start of one.
        if isRooted, parts.authority == nil, segments.count > 1, segments[0].isEmpty {
            out += "/.".utf8
        }
        if isRooted { out.append(0x2F) }
        out += segments.joined(separator: [0x2F])
    }

    private static func canonical(
        _ segment: UnsafeBufferPointer<UInt8>.SubSequence, _ allowed: URLCharacters
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.append(normalising: segment, allowed: allowed)
        // Plain dot segments are already resolved, so these were encoded dots.
        return out == [0x2E] ? Array("%2E".utf8) : out == [0x2E, 0x2E] ? Array("%2E%2E".utf8) : out
    }

    private static func append(query: UnsafeBufferPointer<UInt8>.SubSequence, to out: inout [UInt8]) {
        let items = query.split(separator: 0x26)
        guard !items.isEmpty else { return }
        out.append(0x3F)
        let written = items.map { item in
            var one: [UInt8] = []
            one.append(normalising: item, allowed: .query)
            return one
        }
        let names = written.map { $0.prefix { $0 != 0x3D } }
        // Comparing the index too makes the sort stable, which `sorted` doesn't guarantee.
        let order = names.indices.sorted {
            names[$0].elementsEqual(names[$1]) ? $0 < $1 : names[$0].lexicographicallyPrecedes(names[$1])
        }
        for (position, index) in order.enumerated() {
            if position > 0 { out.append(0x26) }
            out += written[index]
        }
    }
}
