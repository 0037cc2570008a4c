/// `Catalogue` says what is on the wire and does nothing with it.
///
/// - `JSON/` reads and writes JSON values exactly: numbers keep their spelling, members their canonical order.
/// - `Payloads/` are the objects of the Partner API, read tolerantly, each with the whole object as received.
/// - `Routing/` maps ids to requests, canonical URLs and paths of a partner's web site, and back.
/// - `Serving/` gives the body that a mirror offers for an object, from what an origin said of it.
/// - `JSONLines/` maps JSON Lines catalogues to API bodies and back without loss.
/// - `Extensions/` reads what the extensions of the Partner API answer: events and digests.
///
/// All of it is pure: no file, no network, no clock.

/// A JSON value.
///
/// Two values are equal if they are the same JSON value: numbers by their mathematical value (`1 == 1.0`), strings by
/// their code points (not by canonical equivalence, as `String` compares), objects whatever the order of members.
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

    /// The truth value; `nil` for anything but `true` and `false`.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number; `nil` for anything else.
    public var numberValue: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The value as an id: a string that is not blank and has no NUL in it, or an integer as it is spelled.
    ///
    /// Ids are opaque strings; a server that sends numbers means their spelling.
    public var idText: String? {
        switch self {
        case .string(let text): text.isBlank || text.utf8.contains(0) ? nil : text
        case .number(let number): number.isSpelledAsInteger ? number.lexeme : nil
        default: nil
        }
    }
}

extension JSONValue: Hashable {
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
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

extension JSONValue {
    /// Reads the one JSON value that `bytes` hold, white space around it and a byte order mark before it aside.
    ///
    /// Nesting beyond 512 levels, invalid UTF-8 and anything behind the value are refused. Of members with one key the
    /// last wins; a lone surrogate in a `\u` escape reads as U+FFFD.
    /// - Throws: ``JSONError`` with the offset in bytes.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONParser.read(bytes).value
    }

    /// Reads the one JSON value that `bytes` hold; see ``init(parsing:)-(UnsafeRawBufferPointer)``.
    ///
    /// An object in canonical form keeps `bytes`, and is written again at no cost.
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

    /// Reads a list and calls `take` for each element, in order, so that no more than one of them need be in memory.
    ///
    /// Of a list that breaks off or is wrong further on, the elements before that are handed out.
    /// - Throws: ``JSONError`` with the offset in bytes, or what `take` throws.
    public static func readList(_ bytes: [UInt8], _ take: (JSONValue) throws -> Void) throws {
        try bytes.withUnsafeBytes { try JSONParser.readList($0, take) }
    }

    /// Reads the one JSON value that `text` holds; see ``init(parsing:)-(UnsafeRawBufferPointer)``.
    public init(parsing text: String) throws(JSONError) {
        self = try text.withBytes { bytes in
            Result { () throws(JSONError) in try JSONValue(parsing: UnsafeRawBufferPointer(bytes)) }
        }.get()
    }

    /// The one canonical form of the value in UTF-8: members sorted by key, no white space, the fewest escapes, numbers
    /// as they were written.
    ///
    /// Equal bytes in, equal bytes out, on every machine: entity tags are digests of these bytes.
    public var canonicalBytes: [UInt8] {
        if case .object(let object) = self, let source = object.source { return source }
        var writer = CanonicalWriter()
        writer.write(self)
        return writer.bytes
    }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }

    /// An array of strings, as text: what SQL functions such as `json_each` take.
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
