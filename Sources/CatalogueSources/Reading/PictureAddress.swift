import Catalogue

/// The hosts from which pictures are fetched: the base's, and those that the description lists.
struct PictureHosts: Sendable {
    private let hosts: Set<String>

    /// - Parameters:
    ///   - base: the description's base URL.
    ///   - others: the hosts that the description lists, with a port if it isn't the scheme's.
    init(base: String, others: [String]) {
        hosts = Set([PictureAddress(base)?.host].compactMap(\.self) + others.map { $0.lowercased() })
    }

    /// Whether a picture may be fetched from there.
    func contains(_ host: String) -> Bool { hosts.contains(host) }
}

/// The address of a picture: an HTTP or HTTPS URL.
struct PictureAddress: Sendable, Hashable {
    /// The URL without its fragment, percent-encoded where the server's text has spaces or other characters that URLs exclude.
    let url: String
    /// The host in lower case, with the port if it isn't the scheme's.
    let host: String

    /// Reads a URL of a server; `nil` if it isn't an absolute HTTP or HTTPS URL, or contains a user's name.
    init?(_ text: String) {
        var url = Self.encoded(text)
        if let fragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) { url = String(url[..<fragment]) }
        let start = url.utf8.prefix(8).map { $0 | 0x20 }
        guard let scheme = Self.schemes.first(where: { start.starts(with: $0.start.utf8) }) else {
            return nil
        }
        let authority = url.utf8.dropFirst(scheme.start.utf8.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        var host = String(Substring(authority)).lowercased()
        if host.hasSuffix(scheme.port) { host.removeLast(scheme.port.utf8.count) }
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfHost) else { return nil }
        (self.url, self.host) = (url, host)
    }

    /// How URLs of each scheme begin, and the port that they use if they have none.
    private static let schemes = [(start: "https://", port: ":443"), (start: "http://", port: ":80")]

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// The text without spaces around it, and with the characters encoded that no URL contains. Existing escapes are kept.
    private static func encoded(_ text: String) -> String {
        let source = Array(text.utf8.trimmingSpaces)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        for (index, byte) in source.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && index + 2 < source.count
                && source[index + 1].hexDigitValue != nil
                && source[index + 2].hexDigitValue != nil
            if isEscape || byte != UInt8(ascii: "%") && isOfURL(byte) {
                bytes.append(byte)
            } else {
                PercentEncoding.escape(byte, into: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isOfURL(_ byte: UInt8) -> Bool {
        switch byte {
        case ...0x20, 0x7F...: false
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }
}

extension String.UTF8View {
    /// Without spaces and control characters at both ends.
    fileprivate var trimmingSpaces: SubSequence {
        let start = drop { $0 <= 0x20 }
        return start.lastIndex { $0 > 0x20 }.map { start[...$0] } ?? start
    }
}
