/// `application/x-www-form-urlencoded` bodies.
package enum FormBody {
    package static let contentType = "application/x-www-form-urlencoded"

    /// Encodes pairs in their order.
    package static func encode(_ pairs: [(String, String)]) -> [UInt8] {
        var out: [UInt8] = []
        for (name, value) in pairs {
            if !out.isEmpty { out.append(UInt8(ascii: "&")) }
            append(name, to: &out)
            out.append(UInt8(ascii: "="))
            append(value, to: &out)
        }
        return out
    }

    /// Percent-encodes everything but RFC 3986's unreserved characters.
    package static func append(_ text: String, to out: inout [UInt8]) {
        let digits = "0123456789ABCDEF".utf8
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: out.append(byte)
            default:
                out.append(UInt8(ascii: "%"))
                out.append(digits[digits.index(digits.startIndex, offsetBy: Int(byte >> 4))])
                out.append(digits[digits.index(digits.startIndex, offsetBy: Int(byte & 15))])
            }
        }
    }
}
