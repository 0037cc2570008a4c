extension EntityTag {
    /// Whether a tag promises equal bytes, so that it may stand in `If-Range` (RFC 9110, section 13.1.5).
    static func isStrong(_ tag: String) -> Bool { tag.utf8.first == UInt8(ascii: "\"") }
}
