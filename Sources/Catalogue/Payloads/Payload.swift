/// An object of the Partner API, read tolerantly from JSON.
///
/// A blank string reads as absent, a numeric string as a number where a number is expected, a field of the wrong type
/// as absent with a ``FieldWarning``; unknown fields are kept in ``json``. Only a missing id is an error.
///
/// A type names its columns and stores what was read; what has no column is read by the initialiser:
///
/// ```swift
/// struct Publication: Payload {
///     static let kind = "publication"
///     static let columns = Column.list("title isbn pages:integer price:loose size.cm")
///     let fields: FieldValues
///     let artistIDs: [String]
///
///     init(_ read: inout FieldReader) {
///         fields = read.fields
///         artistIDs = read.ids("artists") ?? []
///     }
/// }
/// ```
public protocol Payload: Sendable, Hashable {
    /// The API's singular name: `artwork`.
    static var kind: String { get }
    /// The scalar fields that have a column of the kind's table.
    static var columns: [Column] { get }

    /// The object's id, its JSON, and the values of its columns.
    var fields: FieldValues { get }
    /// What a mirror keeps in tables of its own. Default: nothing.
    var parts: Parts { get }

    /// The object as a mirror serves it on, with addresses of its own and others by id. Default: `nil`, unchanged.
    /// - Parameter partner: the partner's id.
    func served(of partner: String) -> JSONObject?

    /// Takes ``FieldReader/fields``, and reads what has no column.
    init(_ read: inout FieldReader)
}

/// What every object has: an id, its JSON, and the values of its columns.
public struct FieldValues: Sendable, Hashable {
    public let id: String
    public let json: JSONObject
    public internal(set) var values: [FieldValue] = []
}

/// What an object consists of beside its fields, or refers to.
public struct Parts: Sendable, Hashable {
    public var artistIDs: [String] = []
    public var images: [ImageEntry] = []
    public var editionSets: [EditionSet] = []
    public var locationID: String?

    public init() {}
}

extension Payload {
    /// Reads an object and appends a warning for every field that could not be taken.
    /// - Throws: ``PayloadError`` if it has no id.
    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var reader = try FieldReader(json, kind: Self.kind, columns: Self.columns)
        self.init(&reader)
        warnings += reader.warnings
    }

    /// Reads any JSON value as this payload.
    /// - Throws: ``PayloadError`` if it is no object or has no id.
    public init(_ value: JSONValue, warnings: inout [FieldWarning]) throws(PayloadError) {
        guard case .object(let json) = value else {
            throw PayloadError(kind: Self.kind, message: "The answer is no JSON object, so no \(Self.kind).")
        }
        try self.init(json, warnings: &warnings)
    }

    /// Reads an object from the text of its JSON. A field that can't be taken is absent.
    /// - Throws: ``JSONError``; ``PayloadError`` if it is no object or has no id.
    public init(text: String) throws {
        var warnings: [FieldWarning] = []
        try self.init(JSONValue(parsing: text), warnings: &warnings)
    }

    /// Reads an object, and passes over what could not be taken of it.
    /// - Throws: ``PayloadError`` if it has no id.
    public init(_ json: JSONObject) throws(PayloadError) {
        var warnings: [FieldWarning] = []
        try self.init(json, warnings: &warnings)
    }

    public var parts: Parts { Parts() }

    public func served(of partner: String) -> JSONObject? { nil }

    public var id: String { fields.id }
    /// The whole object as received.
    public var json: JSONObject { fields.json }
    /// The scalar fields for the database, one for each of ``columns``; the id is not among them.
    public var values: [FieldValue] { fields.values }

    /// The value of a column; `null` if there is no such column.
    public subscript(column: String) -> FieldValue {
        Self.columns.firstIndex { $0.name == column }.map { values[$0] } ?? .null
    }

    /// The text in a column, such as `literature`; `nil` if it holds none.
    public func text(_ column: String) -> String? {
        if case .text(let text) = self[column] { text } else { nil }
    }

    /// The whole number in a column.
    public func integer(_ column: String) -> Int? {
        if case .integer(let number) = self[column] { Int(number) } else { nil }
    }

    /// The number in a column of type `real`.
    public func real(_ column: String) -> Double? {
        if case .real(let number) = self[column] { number } else { nil }
    }

    /// The truth value in a column of type `flag`.
    public func flag(_ column: String) -> Bool? { integer(column).map { $0 != 0 } }
}

/// Why something cannot be read as an object of the API at all: it has no id.
public struct PayloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The API's singular name of what was expected, or `list`.
    public let kind: String
    public let message: String

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

    public var description: String { "\(kind) \(id): \(field) should be \(expected), is \(found)" }
}
