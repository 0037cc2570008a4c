/// Percent-encoding (RFC 3986 section 2) as the API's URLs use it: everything but unreserved characters is encoded.
public enum PercentEncoding {
    /// Encodes `text` as one path segment.
    ///
    /// The ids `.` and `..` are encoded too, because clients and servers remove such segments (RFC 3986 section 5.2.4).
    public static func encode(_ text: String) -> String {
        text == "." ? "%2E" : text == ".." ? "%2E%2E" : encode(item: text)
    }

    /// Encodes `text` as one name or value of a query. Dots have no special meaning there and are not encoded.
    static func encode(item text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isUnreserved { bytes.append(byte) } else { escape(byte, into: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `%` and two hexadecimal digits in upper case.
    package static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
        bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }

    /// Decodes one segment, name or value; `nil` for a broken escape or bytes that are not UTF-8.
    public static func decode(_ text: some StringProtocol) -> String? {
        decode(text.utf8, plusIsSpace: false)
    }

    /// Decodes bytes; `nil` for a broken escape or bytes that are not UTF-8.
    static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else {
                    return nil
                }
                result.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: result.append(0x20)
            default: result.append(byte)
            }
        }
        return result.withUnsafeBufferPointer(UTF8Order.text)
    }
}

extension UInt8 {
    /// Whether the byte is an unreserved character of RFC 3986 section 2.3.
    @inline(__always)
    fileprivate var isUnreserved: Bool {
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
            || self == UInt8(ascii: "-")
            || self == UInt8(ascii: ".") || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
    }
}

/// Forms as HTML sends them (`application/x-www-form-urlencoded`).
public enum FormBody {
    package static let contentType = "application/x-www-form-urlencoded"

    /// Encodes items in the order given. A space becomes `%20`, which every parser of forms accepts.
    public static func encode(_ items: [NameValue]) -> String {
        items.map { "\(PercentEncoding.encode(item: $0.name))=\(PercentEncoding.encode(item: $0.value))" }
            .joined(separator: "&")
    }

    /// Decodes a form's items in their order; `nil` for a broken escape or bytes that are not UTF-8.
    ///
    /// - Parameter plusIsSpace: `true` (the default) for a form, `false` for a query, where `+` is a plus sign.
    public static func parse(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = true) -> [NameValue]? {
        var items: [NameValue] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            let value = item[name.endIndex...].dropFirst()
            guard let name = PercentEncoding.decode(name, plusIsSpace: plusIsSpace),
                let value = PercentEncoding.decode(value, plusIsSpace: plusIsSpace)
            else { return nil }
            items.append(NameValue(name, value))
        }
        return items
    }
}
