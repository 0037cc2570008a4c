import Mustache

/// The content type of all page templates: escapes text for HTML, byte by byte.
///
/// The library's own type compares characters. A quote followed by a combining mark is one character there, which it doesn't
/// escape, so that a text could end an attribute. In UTF-8, the bytes of the escaped characters never occur inside others.
struct PageText: MustacheContentType {
    /// The name by which the first line of each template refers to this type: `{{% CONTENT_TYPE:PAGE}}`.
    static let name = "PAGE"

    func escapeText(_ text: String) -> String { Self.escaped(text) }

    /// The text with `&`, `<`, `>`, `"` and `'` as references. Control characters, which HTML doesn't permit, become U+FFFD.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            case _ where isSpecial(byte): bytes += "\u{FFFD}".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            true
        case UInt8(ascii: "\t"), UInt8(ascii: "\n"): false
        default: byte < 0x20 || byte == 0x7F
        }
    }
}
