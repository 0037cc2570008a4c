extension JSONValue {
    /// The one canonical form of the value in UTF-8: members sorted by key, no white space, the fewest escapes, numbers
    /// as they were written.
    ///
    /// Equal bytes in, equal bytes out, on every machine: entity tags are digests of these bytes.
    public var canonicalBytes: [UInt8] {
        if case .object(let object) = self { return object.canonicalBytes }
        var writer = CanonicalWriter()
        writer.write(self)
        return Array(writer.bytes)
    }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String {
        if case .object(let object) = self { return object.canonicalText }
        var writer = CanonicalWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// An array of strings, as text: what SQL functions such as `json_each` take.
    package static func canonicalText(of strings: [String]) -> String {
        JSONValue.array(strings.map(JSONValue.string)).canonicalText
    }
}

extension JSONObject {
    /// The canonical form of the object; see ``JSONValue/canonicalBytes``.
    public var canonicalBytes: [UInt8] {
        if let source { return source }
        var writer = CanonicalWriter()
        writer.write(self)
        return Array(writer.bytes)
    }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String {
        if let source { return String(decoding: source, as: UTF8.self) }
        var writer = CanonicalWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
