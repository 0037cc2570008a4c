/// Comparing entity tags (RFC 9110, section 8.8.3.2).
enum EntityTag {
    /// Weak comparison: alike but for the mark of weakness.
    static func match(_ a: String, _ b: String) -> Bool {
        a == b || opaque(a).elementsEqual(opaque(b))
    }

    /// Whether `If-None-Match` lists the tag, or is `*`.
    static func isListed(_ tag: String?, in ifNoneMatch: [String]) -> Bool {
        let listed = FieldList.members(ifNoneMatch)
        if listed == ["*"] { return true }
        return tag.map { tag in listed.contains { match($0, tag) } } ?? false
    }

    private static func opaque(_ tag: String) -> Substring.UTF8View {
        let bytes = FieldList.trimmed(tag.utf8[...])
        return bytes.starts(with: "W/".utf8) ? bytes.dropFirst(2) : bytes
    }
}
