/// A name and its value: an item of a query or form, or a header.
public struct NameValue: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Forms as HTML posts them (`application/x-www-form-urlencoded`).
public enum FormBody {
    /// The items in the order given. Spaces become `%20`, which every reader of forms takes.
    public static func encode(_ items: [NameValue]) -> String {
        items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    /// The items in their order; `nil` for a broken escape or bytes that are not UTF-8. Here `+` is a space.
    public static func parse(_ bytes: some Collection<UInt8>) -> [NameValue]? {
        parse(bytes, plusIsSpace: true)
    }

    static func parse(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> [NameValue]? {
        var items: [NameValue] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: plusIsSpace) else { return nil }
            guard parts.count > 1 else {
                items.append(NameValue(name, ""))
                continue
            }
            guard let value = PercentEncoding.decode(parts[1], plusIsSpace: plusIsSpace) else { return nil }
            items.append(NameValue(name, value))
        }
        return items
    }
}
