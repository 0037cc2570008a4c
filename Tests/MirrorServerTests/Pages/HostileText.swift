/// A quote with a combining mark, which is one character and two scalars.
enum HostileText {
    private static let quote = Array("\"\u{301}".utf8)

    /// Whether a page contains the quote as it is, compared by bytes.
    static func isUnescaped(in page: String) -> Bool {
        let bytes = Array(page.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: quote) }
    }
}
