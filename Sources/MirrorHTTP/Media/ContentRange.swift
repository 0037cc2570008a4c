/// A `Content-Range` of bytes (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    /// `nil` in a 416, which names only the whole length.
    package let range: ClosedRange<Int>?
    /// `nil` where the server doesn't know it (`*`).
    package let total: Int?

    package init?(_ value: String?) {
        guard let text = value?.trimmed, text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        total = parts[1] == "*" ? nil : Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        if parts[0] == "*" {
            range = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, total.map({ last < $0 }) ?? true
        else { return nil }
        range = first...last
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
