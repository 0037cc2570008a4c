import Catalogue

/// The query of a page's address, as ``PageTarget`` reads it.
///
/// It has no more escapes than it needs, because a page repeats the query of its list a hundred times.
enum PageQuery {
    /// Encodes items in the order given. A space becomes `+`, and what a query may contain (RFC 3986 section 3.4) is left as
    /// it is.
    static func encode(_ items: [NameValue]) -> String {
        encode(items) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: plain.contains(byte)
            }
        }
    }

    /// Encodes items as the value of an item of another query, which escapes it once more.
    static func nested(_ items: [NameValue]) -> String {
        encode(items, space: UInt8(ascii: " ")) { !separators.contains($0) }
    }

    /// Characters other than letters and digits that stand for themselves.
    private static let plain = Set("-._~!$()*,;:@/?=".utf8)
    /// What has a meaning in any query.
    private static let separators = Set("%&+".utf8)

    private static func encode(
        _ items: [NameValue], space: UInt8 = UInt8(ascii: "+"), isPlain: (UInt8) -> Bool
    ) -> String {
        var bytes: [UInt8] = []
        func append(_ text: String, isName: Bool) {
            for byte in text.utf8 {
                if byte == UInt8(ascii: " ") {
                    bytes.append(space)
                } else if isPlain(byte), !(isName && byte == UInt8(ascii: "=")) {
                    bytes.append(byte)
                } else {
                    PercentEncoding.escape(byte, into: &bytes)
                }
            }
        }
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            append(item.name, isName: true)
            bytes.append(UInt8(ascii: "="))
            append(item.value, isName: false)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
