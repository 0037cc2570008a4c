import Catalogue
import Crypto
import Foundation

/// The secondary cache key: what a request said in the fields that a response's `Vary` names (RFC 9111, section 4.1).
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
        guard response.has("Vary") else {
            self = .none
            return
        }
        let members = FieldList.members(response.values(of: "Vary"))
        let names = Set(members.map { FieldList.onOneLine(FieldList.lowered($0)) })
        guard !names.contains("*") else { return nil }
        self.init(names: names.sorted(), request: request)
    }

    private init(names: [String], request: HeaderFields) {
        text = names.map { name in
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
