/// Compares entity tags as HTTP does (RFC 9110, section 8.8.3.2).
package enum EntityTag {
    /// Whether a tag is strong and thus allowed in `If-Range` (RFC 9110, section 13.1.5).
    package static func isStrong(_ tag: String) -> Bool { tag.utf8.first == UInt8(ascii: "\"") }

    /// Weak comparison: ignores the prefix `W/` and white space around the tags.
    package static func match(_ a: String, _ b: String) -> Bool {
        a == b || opaque(trimmed(a.utf8[...])).elementsEqual(opaque(trimmed(b.utf8[...])))
    }

    /// Whether an `If-None-Match` header is `*` or contains `tag` by weak comparison (RFC 9110, section 13.1.2).
    package static func isListedWeakly(_ tag: String, in header: String) -> Bool {
        // Fast path: nearly every client sends a single strong tag.
        if header == tag { return true }
        return isListed(in: header) { opaque($0).elementsEqual(opaque(tag.utf8[...])) }
    }

    /// Whether an `If-Match` header is `*` or contains `tag` by strong comparison (RFC 9110, section 13.1.1).
    package static func isListedStrongly(_ tag: String, in header: String) -> Bool {
        isListed(in: header) { !isWeak($0) && $0.elementsEqual(tag.utf8) }
    }

    private static func isListed(in header: String, _ isEqual: (Substring.UTF8View) -> Bool) -> Bool {
        var rest = trimmed(header.utf8[...])
        if rest.elementsEqual("*".utf8) { return true }
        while let first = rest.first {
            switch first {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): rest = rest.dropFirst()
            default:
                guard let (tag, remainder) = next(rest) else { return false }
                if isEqual(tag) { return true }
                rest = remainder
            }
        }
        return false
    }

    /// The tag at the beginning of `text`, and the remaining text; `nil` if the header is malformed.
    private static func next(
        _ text: Substring.UTF8View
    ) -> (tag: Substring.UTF8View, remainder: Substring.UTF8View)? {
        let quoted = opaque(text)
        guard quoted.first == UInt8(ascii: "\""),
            let end = quoted.dropFirst().firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return (text[text.startIndex...end], text[text.index(after: end)...])
    }

    private static func isWeak(_ tag: Substring.UTF8View) -> Bool { tag.starts(with: "W/".utf8) }

    private static func opaque(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        isWeak(tag) ? tag.dropFirst(2) : tag
    }

    /// Removes the optional white space around a member of a header field (RFC 9110, section 5.6.3).
    package static func trimmed(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = tag.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { start[...$0] } ?? start[..<start.startIndex]
    }
}
