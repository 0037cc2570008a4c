import Catalogue
import Crypto
import Foundation

/// A stored response, with the data needed to reuse it (RFC 9111, section 3).
package struct CacheEntry: Sendable, Equatable {
    /// The canonical URL relative to the base of the cache's origin, as ``CanonicalURLCache/key(for:)`` returns it.
    package var key: String
    package var status: Int
    /// The stored header fields, without connection-specific fields and cookies.
    package var headers: HeaderFields
    package var body: [UInt8]
    /// When the request was sent, in seconds since 1970 by the local clock.
    package var requestTime: Double
    /// When the response arrived, in seconds since 1970 by the local clock.
    package var responseTime: Double
    /// The request's values of the header fields that the response's `Vary` lists.
    package var vary: VaryKey

    package init(
        key: String, status: Int, headers: HeaderFields, body: [UInt8], requestTime: Double,
        responseTime: Double,
        vary: VaryKey = .none
    ) {
        self.key = key
        self.status = status
        self.headers = headers
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.vary = vary
    }

    package var etag: String? { headers.firstValue(of: "ETag") }

    /// The header fields of a response served from this entry: the stored ones with the current `Age` (section 4).
    ///
    /// - Parameter now: In seconds since 1970 by the local clock.
    package func servedHeaders(now: Double) -> HeaderFields {
        var served = headers
        served["Age"] = String(Int(Freshness(self, now: now).age))
        return served
    }

    /// The approximate size in memory and in the file, in bytes.
    var cost: Int {
        var cost = body.count + key.utf8.count + vary.text.utf8.count + 64
        for line in headers.lines { cost += line.name.utf8.count + line.value.utf8.count + 4 }
        return cost
    }
}

/// The secondary cache key: a request's values of the header fields that a response's `Vary` lists.
///
/// See RFC 9111, section 4.1. The key is a text with a line for each field, sorted by name: `accept: application/json`,
/// or only the name if the request didn't have the field. Values of fields that contain credentials are replaced by
/// eight bytes of their digest, so that no secret is written to the cache's file.
package struct VaryKey: Sendable, Hashable {
    package let text: String

    /// The key of a response without `Vary`, which matches every request.
    package static let none = VaryKey(text: "")

    init(text: String) {
        self.text = text
    }

    /// - Returns: `nil` for `Vary: *`, which no request matches.
    package init?(response: HeaderFields, request: HeaderFields) {
        let members = FieldList.members(response.values(of: "Vary"))
        let names = Set(members.map { FieldList.onOneLine(FieldList.lowered($0)) })
        guard !names.contains("*") else { return nil }
        text = names.sorted().map { name in
            Self.normalised(name, request.values(of: name)).map { "\(name): \($0)" } ?? name
        }.joined(separator: "\n")
    }

    /// Whether a stored response with this key may be selected for a request with these header fields.
    package func matches(_ request: HeaderFields) -> Bool {
        if text.utf8.isEmpty { return true }
        return text.utf8.split(separator: 0x0A).allSatisfy { line in
            guard let colon = line.firstIndex(of: 0x3A) else { return !request.has(String(Substring(line))) }
            let name = String(Substring(line[..<colon]))
            let asked = Self.normalised(name, request.values(of: name))
            return asked.map { line[colon...].dropFirst(2).elementsEqual($0.utf8) } ?? false
        }
    }

    private static let credentials: Set<String> = [
        "authorization", "cookie", "cookie2", "proxy-authorization", "x-access-token",
    ]
    private static let caseless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// A field's lines combined, without white space around members; `nil` without any line.
    ///
    /// Values of content negotiation are in lower case, as they are case-insensitive.
    private static func normalised(_ name: String, _ values: [String]) -> String? {
        guard !values.isEmpty else { return nil }
        var value = FieldList.members(values).joined(separator: ",")
        if caseless.contains(name) { value = FieldList.lowered(value) }
        if credentials.contains(name) {
            return "sha256-" + SHA256.hash(data: Data(value.utf8)).prefix(8).hexadecimal
        }
        return FieldList.onOneLine(value)
    }
}
