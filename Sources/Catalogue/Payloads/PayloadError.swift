/// Why something cannot be read as an object of the API at all: it has no id.
public struct PayloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The API's singular name of what was expected, or `list`.
    public let kind: String
    public let message: String

    package init(kind: String, message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }
}

/// A field that could not be taken as the API describes it, and reads as absent. It stays in the object's `json`.
public struct FieldWarning: Sendable, Hashable, CustomStringConvertible {
    public let kind: String
    public let id: String
    /// The field's name, with the path to it inside the object: `dimensions.in`, `images[2]`.
    public let field: String
    /// What the API says it is: `text`, `integer`, `number`, `boolean`, `array`, `object`.
    public let expected: String
    /// What came, as a type and never as a value.
    public let found: String

    package init(kind: String, id: String, field: String, expected: String, found: String) {
        self.kind = kind
        self.id = id
        self.field = field
        self.expected = expected
        self.found = found
    }

    public var description: String { "\(kind) \(id): \(field) should be \(expected), is \(found)" }
}
