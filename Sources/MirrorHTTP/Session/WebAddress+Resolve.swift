extension WebAddress {
    /// The address that a `Location` names, seen from this one (RFC 3986, section 5.2); `nil` for what isn't
    /// `http` or `https`.
    package func resolving(_ reference: String) -> WebAddress? {
        guard let clean = Self.encoded(reference.trimmed) else { return nil }
        if clean.isEmpty { return self }
        if clean.hasPrefix("//") { return WebAddress("\(origin.scheme):\(clean)") }
        if Self.hasScheme(clean) { return WebAddress(clean).map { $0.withoutDots } }
        if clean.hasPrefix("?") { return WebAddress(origin: origin, target: path + clean) }
        let target =
            clean.hasPrefix("/")
            ? clean : String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) + clean
        return WebAddress(origin: origin, target: target).withoutDots
    }

    /// With dot segments removed from the path (RFC 3986, section 5.2.4).
    var withoutDots: WebAddress {
        let path = self.path
        guard path.contains("/.") else { return self }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return WebAddress(
            origin: origin, target: "/" + kept.joined(separator: "/") + target.dropFirst(path.count))
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isLetter else {
            return false
        }
        return text[..<colon].allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".")
        }
    }
}

extension String {
    /// Without the optional white space (RFC 9110, section 5.6.3) around a field's value.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
