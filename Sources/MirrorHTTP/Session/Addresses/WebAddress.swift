import Catalogue
import Foundation

/// Scheme, host and port of an address (RFC 6454). Credentials are bound to an origin.
public struct Origin: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case: an international name in its ASCII form (`xn--…`), an IPv6 address without brackets.
    public let host: String
    /// The port; the scheme's default port if the address has none.
    public let port: Int

    /// Whether the scheme is `https`.
    public var isSecure: Bool { scheme == "https" }

    /// The origin as text: `https://example.org`.
    package var text: String { "\(scheme)://\(display)" }

    /// `host`, or `host:port` if the port isn't the scheme's default. Used in messages and keys.
    public var display: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}

/// A parsed absolute `http` or `https` address.
package struct WebAddress: Sendable, Hashable {
    package let origin: Origin
    /// The complete address. Stored, because every request reads it several times.
    package let text: String
    /// The number of bytes in `text` before the path.
    private let prefixLength: Int

    /// Path and query as they are sent; begins with `/`.
    package var target: String { String(Substring(text.utf8.dropFirst(prefixLength))) }

    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The address for messages: without scheme and query, and shortened.
    package var display: String {
        let path = self.path
        return origin.display + (path.utf8.count > 160 ? path.prefix(160) + "…" : path)
    }

    /// Parses an address strictly; `nil` if it has user information (a credential), a backslash or a control character.
    ///
    /// Spaces and non-ASCII bytes are percent-encoded, as in browsers. An international host name is converted to its ASCII
    /// form. A fragment is dropped.
    package init?(_ string: String) {
        guard let clean = Self.encoded(string), let colon = clean.firstRange(of: "://") else { return nil }
        let scheme = clean[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = clean[colon.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<end]) else { return nil }
        let tail = rest[end...]
        self.init(
            origin: Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80)),
            target: tail.hasPrefix("/") ? String(tail) : "/" + tail)
    }

    init(origin: Origin, target: String) {
        let prefix = origin.text
        self.origin = origin
        text = prefix + target
        prefixLength = prefix.utf8.count
    }

    private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
        let end: Substring.Index
        let host: String?
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            let literal = text[..<close].dropFirst()
            let isProper = !literal.isEmpty && literal.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            host = isProper ? literal.lowercased() : nil
            end = text.index(after: close)
        } else {
            end = text.lastIndex(of: ":") ?? text.endIndex
            host = hostName(text[..<end])
        }
        guard let host else { return nil }
        if end == text.endIndex { return (host, nil) }
        guard text[end] == ":", let port = number(text[end...].dropFirst()) else { return nil }
        return (host, port)
    }

    /// A host name for DNS: in lower case, an international name in its ASCII form (UTS 46); `nil` if it isn't valid.
    private static func hostName(_ written: Substring) -> String? {
        var name = String(written)
        if name.utf8.contains(UInt8(ascii: "%")) {
            // `encoded`, or the caller, has percent-encoded it. Encoded ASCII is refused: a host name doesn't need it.
            guard let decoded = name.removingPercentEncoding, decoded.utf8.contains(where: { $0 >= 0x80 })
            else { return nil }
            var components = URLComponents()
            components.host = decoded
            name = components.encodedHost ?? ""
        }
        // A name without an ASCII form is still percent-encoded, and so isn't valid.
        return !name.isEmpty && URLCharacters.name.containsAll(of: name) ? name.lowercased() : nil
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(text), (1...65535).contains(value)
        else { return nil }
        return value
    }

    /// Percent-encodes characters that aren't allowed in a URL, and drops the fragment.
    ///
    /// `nil` for text with a backslash or a control character.
    static func encoded(_ string: String) -> String? {
        var out: [UInt8] = []
        out.reserveCapacity(string.utf8.count)
        for byte in string.utf8 {
            switch byte {
            case 0x23: return String(decoding: out, as: UTF8.self)
            case 0..<0x20, 0x7F, UInt8(ascii: "\\"): return nil
            case 0x20, 0x22, 0x3C, 0x3E, 0x5E, 0x60, 0x7B, 0x7C, 0x7D, 0x80...0xFF:
                PercentEncoding.escape(byte, into: &out)
            default: out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension WebAddress {
    /// Resolves a reference, such as a `Location`, against this address (RFC 3986, section 5.2).
    ///
    /// `nil` if the result isn't an `http` or `https` address.
    package func resolving(_ reference: String) -> WebAddress? {
        guard let clean = Self.encoded(reference.trimmed) else { return nil }
        if clean.isEmpty { return self }
        if clean.hasPrefix("//") { return WebAddress("\(origin.scheme):\(clean)") }
        if clean.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/) != nil {
            return WebAddress(clean).map { $0.withoutDots }
        }
        if clean.hasPrefix("?") { return WebAddress(origin: origin, target: path + clean) }
        let target =
            clean.hasPrefix("/")
            ? clean : String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) + clean
        return WebAddress(origin: origin, target: target).withoutDots
    }

    /// The address with dot segments removed from its path (RFC 3986, section 5.2.4).
    var withoutDots: WebAddress {
        let path = self.path
        guard path.contains("/.") else { return self }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return WebAddress(
            origin: origin, target: "/" + kept.joined(separator: "/") + target.dropFirst(path.count))
    }

}

extension String {
    /// The text without surrounding optional white space (RFC 9110, section 5.6.3).
    var trimmed: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
}
