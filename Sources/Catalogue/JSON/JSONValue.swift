/// `Catalogue` defines the Partner API's kinds, objects and requests. It sends and stores nothing.
///
/// - `JSON/` reads and writes JSON values exactly: numbers keep their spelling, members their canonical order.
/// - `Kinds/` defines the kinds of objects, with their tables, paths and lists.
/// - `Payloads/` reads the objects of the Partner API tolerantly. Each keeps the complete JSON as received.
/// - `Source/` makes requests and reads answers for any origin; the Partner API is one source.
/// - `Routing/` maps ids to requests, canonical URLs and paths of a partner's web site, and back.
/// - `Serving/` makes the body that a mirror serves for an object from the origin's body.
/// - `JSONLines/` maps JSON Lines catalogues to API bodies and back without loss.
/// - `Extensions/` reads the answers of the Partner API's extensions: events and digests.
///
/// All code is pure: no files, no network, no clock.

/// A JSON value.
///
/// Equality compares numbers by mathematical value (`1 == 1.0`), strings by code points (`String` itself compares by
/// canonical equivalence), and objects without regard to the order of members.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text of a string; `nil` for anything else.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements of an array; `nil` for anything else.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The object; `nil` for anything else.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The Boolean; `nil` for anything but `true` and `false`.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number; `nil` for anything else.
    public var numberValue: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The value as an id: a string that isn't blank and contains no NUL, or an integer as it was written.
    ///
    /// Ids are opaque strings. If a server sends a number, its spelling is the id.
    public var idText: String? {
        switch self {
        case .string(let text): text.isBlank || text.utf8.contains(0) ? nil : text
        case .number(let number): number.isSpelledAsInteger ? number.lexeme : nil
        default: nil
        }
    }
}

extension JSONValue: Hashable {
    /// Compares JSON values, not their spelling.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): UTF8Order.equal(a, b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    /// Hashes the JSON value: equal values have equal hashes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value ? 1 as UInt8 : 2)
        case .number(let number): number.hash(into: &hasher)
        case .string(let text): UTF8Order.hash(text, into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): object.hash(into: &hasher)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; of several members with one key the last is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

extension JSONValue {
    /// Reads a text that is one JSON value. A byte order mark before it and white space around it are skipped.
    ///
    /// - Of several members with one key the last is kept.
    /// - A lone surrogate in a `\u` escape reads as U+FFFD.
    /// - Throws: ``JSONError`` with the offset in bytes, for invalid JSON, invalid UTF-8, more than 512 levels of nesting,
    ///   or any text after the value.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONParser.read(bytes).value
    }

    /// Reads a text that is one JSON value; see ``init(parsing:)-(UnsafeRawBufferPointer)``.
    ///
    /// If `bytes` are an object in canonical form, the object keeps them, so that they need not be written again.
    /// - Throws: ``JSONError`` with the offset in bytes.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        let (value, isCanonical) = try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            try JSONParser.read(UnsafeRawBufferPointer(buffer))
        }
        self = value
        if isCanonical, case .object(var object) = value {
            object.source = bytes
            self = .object(object)
        }
    }

    /// Reads an array and calls `take` for each element, in order. Only one element is in memory at a time.
    ///
    /// The elements before an error are passed to `take`, too.
    /// - Throws: ``JSONError`` with the offset in bytes; errors of `take`.
    public static func readList(_ bytes: [UInt8], _ take: (JSONValue) throws -> Void) throws {
        try bytes.withUnsafeBytes { try JSONParser.readList($0, take) }
    }

    /// Reads a text that is one JSON value; see ``init(parsing:)-(UnsafeRawBufferPointer)``.
    /// - Throws: ``JSONError`` with the offset in bytes.
    public init(parsing text: String) throws(JSONError) {
        self = try text.withBytes { bytes in
            Result { () throws(JSONError) in try JSONValue(parsing: UnsafeRawBufferPointer(bytes)) }
        }.get()
    }

    /// The canonical form of the value in UTF-8.
    ///
    /// Members are sorted by key, there is no white space, only necessary escapes are used, and numbers keep their
    /// spelling. The bytes are the same on all machines: ETags are digests of them.
    public var canonicalBytes: [UInt8] {
        if case .object(let object) = self, let source = object.source { return source }
        var writer = CanonicalWriter()
        writer.write(self)
        return writer.bytes
    }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }

    /// A JSON array of strings, for SQL functions such as `json_each`.
    package static func canonicalText(of strings: [String]) -> String {
        JSONValue.array(strings.map(JSONValue.string)).canonicalText
    }
}

extension JSONObject {
    /// The canonical form of the object; see ``JSONValue/canonicalBytes``.
    public var canonicalBytes: [UInt8] { JSONValue.object(self).canonicalBytes }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}
