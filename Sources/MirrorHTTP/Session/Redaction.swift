/// What of a request may be printed.
package enum Redaction {
    /// The address with its query's values left out; `?` for what isn't an address.
    package static func url(_ text: String) -> String {
        guard let address = WebAddress(text) else { return "?" }
        guard let mark = address.target.firstIndex(of: "?") else { return address.display }
        let names = address.target[address.target.index(after: mark)...].split(separator: "&").map { item in
            item.prefix { $0 != "=" }
        }
        return "\(address.display)?\(names.joined(separator: "&"))"
    }

    /// The fields with the values of those that carry credentials left out.
    package static func headers(_ fields: HeaderFields) -> HeaderFields {
        HeaderFields(fields.lines.map { ($0.name, isSecret($0.name) ? "…" : $0.value) })
    }

    /// Whether a field's name says that its value is a credential.
    package static func isSecret(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["authorization", "cookie", "token", "secret", "password", "api-key", "session"].contains {
            lower.contains($0)
        }
    }
}
