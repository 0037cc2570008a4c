/// An object of the Partner API, read tolerantly from JSON.
///
/// - A blank string is an absent field.
/// - A numeric string is accepted where a number is expected.
/// - A field of the wrong type is absent, with a ``FieldWarning``.
/// - Unknown fields are kept in ``json``.
/// - Only a missing id is an error.
///
/// A type declares its columns and stores ``fields``. Its initialiser reads the fields that have no column:
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
    /// The scalar fields that have a column in the kind's table.
    static var columns: [Column] { get }

    /// The object's id, its JSON, and the values of its columns.
    var fields: FieldValues { get }
    /// The parts and references that a mirror stores in other tables. Default: none.
    var parts: Parts { get }

    /// The object in serving form (``ServingForm``). Default: `nil`, unchanged.
    /// - Parameter partner: the partner's id.
    func served(of partner: String) -> JSONObject?

    /// Stores ``FieldReader/fields``, and reads the fields that have no column.
    init(_ read: inout FieldReader)
}

/// An object's id, its JSON, and the values of its columns.
public struct FieldValues: Sendable, Hashable {
    /// The object's id.
    public let id: String
    /// The complete object as received.
    public let json: JSONObject
    /// The values of the columns, in the order of ``Payload/columns``.
    public internal(set) var values: [FieldValue] = []
}

/// The parts of an object, and its references to other objects.
public struct Parts: Sendable, Hashable {
    /// The ids of its artists, in order.
    public var artistIDs: [String] = []
    /// The pictures in its JSON, in order.
    public var images: [ImageEntry] = []
    /// Its editions, in order.
    public var editionSets: [EditionSet] = []
    /// The id of its location; `nil` if there is none.
    public var locationID: String?

    /// Creates an object without parts.
    public init() {}
}

extension Payload {
    /// Reads an object, and appends a warning for each field that couldn't be read.
    /// - Throws: ``PayloadError`` if it has no id.
    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var reader = try FieldReader(json, kind: Self.kind, columns: Self.columns)
        self.init(&reader)
        warnings += reader.warnings
    }

    /// Reads an object from a JSON value, and appends a warning for each field that couldn't be read.
    /// - Throws: ``PayloadError`` if it isn't an object or has no id.
    public init(_ value: JSONValue, warnings: inout [FieldWarning]) throws(PayloadError) {
        guard case .object(let json) = value else {
            throw PayloadError(
                kind: Self.kind,
                message: "The answer is not a JSON object, so it can't be read as \(Self.kind).")
        }
        try self.init(json, warnings: &warnings)
    }

    /// Reads an object from a JSON text. Fields that can't be read are absent.
    /// - Throws: ``JSONError``; ``PayloadError`` if it isn't an object or has no id.
    public init(text: String) throws {
        var warnings: [FieldWarning] = []
        try self.init(JSONValue(parsing: text), warnings: &warnings)
    }

    /// Reads an object. Fields that can't be read are absent.
    /// - Throws: ``PayloadError`` if it has no id.
    public init(_ json: JSONObject) throws(PayloadError) {
        var warnings: [FieldWarning] = []
        try self.init(json, warnings: &warnings)
    }

    /// Default: no parts.
    public var parts: Parts { Parts() }

    /// Default: `nil`, served unchanged.
    public func served(of partner: String) -> JSONObject? { nil }

    /// The object's id.
    public var id: String { fields.id }
    /// The complete object as received.
    public var json: JSONObject { fields.json }
    /// The values of ``columns``, in their order, without the id.
    public var values: [FieldValue] { fields.values }

    /// The value of a column; `null` if the column is empty or doesn't exist.
    public subscript(column: String) -> FieldValue {
        Self.columns.firstIndex { $0.name == column }.map { values[$0] } ?? .null
    }

    /// The text in a column, such as `literature`; `nil` if there is none.
    public func text(_ column: String) -> String? {
        if case .text(let text) = self[column] { text } else { nil }
    }

    /// The whole number in a column; `nil` if there is none.
    public func integer(_ column: String) -> Int? {
        if case .integer(let number) = self[column] { Int(number) } else { nil }
    }

    /// The number in a column of type `real`; `nil` if there is none.
    public func real(_ column: String) -> Double? {
        if case .real(let number) = self[column] { number } else { nil }
    }

    /// The Boolean in a column of type `flag`; `nil` if there is none.
    public func flag(_ column: String) -> Bool? { integer(column).map { $0 != 0 } }
}

/// The error for JSON that can't be read as an object of the API, for example because it has no id.
public struct PayloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The API's singular name of the expected kind, or `list`, `event`, `digest`.
    public let kind: String
    /// One sentence.
    public let message: String

    /// The message.
    public var description: String { message }
}

/// A warning that a field has another type than the API defines and reads as absent. The object's `json` keeps the field.
public struct FieldWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the object.
    public let kind: String
    /// The object's id.
    public let id: String
    /// The field's path in the object: `dimensions.in`, `images[2]`.
    public let field: String
    /// The expected type: `text`, `integer`, `number`, `boolean`, `array`, `object`.
    public let expected: String
    /// The received type, never the value.
    public let found: String

    /// A human-readable sentence: `artwork 7: width should be number, is array`.
    public var description: String { "\(kind) \(id): \(field) should be \(expected), is \(found)" }
}
