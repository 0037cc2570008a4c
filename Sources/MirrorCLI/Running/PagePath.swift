import Catalogue
import MirrorServer

/// The path of a page as somebody types it, and as an address contains it.
enum PagePath {
    /// Whether a text is a complete address, such as `https://museum.example`, and no path.
    static func isAddress(_ text: String) -> Bool {
        !text.hasPrefix("/") && text.prefix { $0 != "?" }.contains("://")
    }

    /// The path of a page of a mirror, percent-encoded.
    ///
    /// - Parameter typed: the path below the mirror, with a query if there is one. The mirror's name may be before it, as in
    ///   the browser, unless a page has that path.
    static func encoded(_ typed: String, of mirror: String) -> String {
        let parts = typed.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments = (parts.first ?? "").split(separator: "/").map {
            PercentEncoding.decode($0) ?? String($0)
        }
        if segments.first == mirror, !isPage(segments) { segments.removeFirst() }
        let path = ([mirror] + segments).map {
            "/" + PercentEncoding.encode(DotSegment.spell(DotSegment.read($0)))
        }
        return path.joined() + (parts.count > 1 ? "?" + query(parts[1]) : "")
    }

    private static func isPage(_ segments: [String]) -> Bool {
        ["search", "history", "picture"].contains(segments.first)
            || SitePath.target(segments: segments[...]) != nil
    }

    /// The query with everything encoded that a query can't contain. What is encoded already stays as it is.
    private static func query(_ typed: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(typed.utf8)[...]
        while let byte = rest.popFirst() {
            let next = rest.prefix(2)
            let isEscape =
                byte == UInt8(ascii: "%") && next.count == 2 && next.allSatisfy { hexadecimal.contains($0) }
            if isEscape || plain.contains(byte) {
                bytes.append(byte)
            } else {
                PercentEncoding.escape(byte, into: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexadecimal = Set("0123456789abcdefABCDEF".utf8)
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$()*,;:@/?&=+".utf8)
}
