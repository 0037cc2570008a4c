/// Decides `If-None-Match` and `If-Match` (RFC 9110 sections 13.1.1, 13.1.2 and 8.8.3.2).
enum EntityTagCondition {
    /// Whether a header's list of tags, or `*`, names `etag`, weakly compared: for `If-None-Match`.
    static func matchesWeakly(_ header: String, _ etag: String) -> Bool {
        // One strong tag is what nearly every client sends.
        if header == etag { return true }
        return matches(header) { opaque($0).elementsEqual(opaque(etag.utf8[...])) }
    }

    /// The same, strongly compared: for `If-Match`.
    static func matchesStrongly(_ header: String, _ etag: String) -> Bool {
        matches(header) { !isWeak($0) && $0.elementsEqual(etag.utf8) }
    }

    private static func matches(_ header: String, _ isEqual: (Substring.UTF8View) -> Bool) -> Bool {
        var rest = header.utf8[...]
        while let first = rest.first {
            switch first {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): rest = rest.dropFirst()
            case UInt8(ascii: "*"): return true
            default:
                let (tag, behind) = next(rest)
                guard let tag else { return false }
                if isEqual(tag) { return true }
                rest = behind
            }
        }
        return false
    }

    /// The tag at the beginning, and what is behind it; no tag where there is none, and then the header is broken.
    private static func next(_ text: Substring.UTF8View) -> (Substring.UTF8View?, Substring.UTF8View) {
        let quoted = opaque(text)
        guard quoted.first == UInt8(ascii: "\""),
            let end = quoted.dropFirst().firstIndex(of: UInt8(ascii: "\""))
        else { return (nil, text) }
        return (text[text.startIndex...end], text[text.index(after: end)...])
    }

    private static func isWeak(_ tag: Substring.UTF8View) -> Bool { tag.starts(with: "W/".utf8) }

    private static func opaque(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        isWeak(tag) ? tag.dropFirst(2) : tag
    }
}
