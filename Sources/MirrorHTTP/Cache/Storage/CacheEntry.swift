import Catalogue
import Crypto
import Foundation

/// One stored response, and what is needed to use it again (RFC 9111, section 3).
package struct CacheEntry: Sendable, Equatable {
    /// Canonical, relative to the base of the cache's origin: what ``CanonicalURLCache/key(for:)`` gives.
    package var key: String
    package var status: Int
    /// As they were stored: without the fields of the connection, and without cookies.
    package var headers: HeaderFields
    package var body: [UInt8]
    /// When the request was sent, in seconds since 1970 by the own clock.
    package var requestTime: Double
    /// When the response came, in seconds since 1970 by the own clock.
    package var responseTime: Double
    /// The request's values of the fields that the response's `Vary` names.
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

    /// The headers of a response that is made from this entry at `now`: the stored ones with the current `Age`
    /// (section 4).
    package func servedHeaders(now: Double) -> HeaderFields {
        var served = headers
        served["Age"] = String(Int(Freshness(self, now: now).age))
        return served
    }

    /// About how many bytes it takes in memory and in the file.
    var cost: Int {
        var cost = body.count + key.utf8.count + vary.text.utf8.count + 64
        for line in headers.lines { cost += line.name.utf8.count + line.value.utf8.count + 4 }
        return cost
    }
}

/// The secondary cache key: a request's values of the fields that a response's `Vary` names (RFC 9111, section 4.1).
///
/// Written as one text, a line for each field in order of name: `accept: application/json`, or the name alone for a
/// field that the request didn't have. Values of fields that carry credentials are replaced by eight bytes of their
/// digest, so that no secret gets to the cache's file.
package struct VaryKey: Sendable, Hashable {
    package let text: String

    /// Of a response without `Vary`: every request matches.
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

    /// Whether a stored response with this key may be chosen for a request with these header fields.
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

    /// Lines combined, white space around members dropped; for fields of negotiation also letters in lower case.
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
