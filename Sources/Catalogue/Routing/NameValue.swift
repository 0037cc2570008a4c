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
    package static let contentType = "application/x-www-form-urlencoded"

    /// The items in the order given. Spaces become `%20`, which every reader of forms takes.
    public static func encode(_ items: [NameValue]) -> String {
        var text = ""
        for item in items {
            if !text.isEmpty { text += "&" }
            text += PercentEncoding.encode(item: item.name)
            text += "="
            text += PercentEncoding.encode(item: item.value)
        }
        return text
    }

    /// The items in their order; `nil` for a broken escape or bytes that are not UTF-8. Here `+` is a space.
    public static func parse(_ bytes: some Collection<UInt8>) -> [NameValue]? {
        let fast = bytes.withContiguousStorageIfAvailable { parse($0, plusIsSpace: true) }
        return fast ?? Array(bytes).withUnsafeBufferPointer { parse($0, plusIsSpace: true) }
    }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> [NameValue]? {
        var items: [NameValue] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            let value = equals < item.endIndex ? item[(equals + 1)...] : item[equals...]
            guard
                let name = PercentEncoding.decode(.init(rebasing: item[..<equals]), plusIsSpace: plusIsSpace),
                let value = PercentEncoding.decode(.init(rebasing: value), plusIsSpace: plusIsSpace)
            else { return nil }
            items.append(NameValue(name, value))
        }
        return items
    }
}
