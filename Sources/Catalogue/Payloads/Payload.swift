/// An object of the Partner API, read tolerantly from JSON.
///
/// A blank string reads as absent, a numeric string as a number where a number is expected, a field of the wrong type
/// as absent with a ``FieldWarning``; unknown fields are kept in ``json``. Only a missing id is an error.
public protocol Payload: Sendable, Hashable {
    /// The API's singular name: `artwork`.
    static var kind: String { get }
    /// The names of ``values``, in their fixed order. Structured fields are flattened: `dimensions_in`, `admin_id`.
    static var fieldNames: [String] { get }

    var id: String { get }
    /// The whole object as received.
    var json: JSONObject { get }
    /// The scalar fields for the database, one for each of ``fieldNames``; the id is not among them.
    var values: [FieldValue] { get }

    /// Reads an object and appends a warning for every field that could not be taken.
    /// - Throws: ``PayloadError`` if it has no id.
    init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError)
}

extension Payload {
    /// ``values`` with their names.
    public var fields: [(name: String, value: FieldValue)] {
        zip(Self.fieldNames, values).map { (name: $0, value: $1) }
    }

    /// Reads any JSON value as this payload.
    /// - Throws: ``PayloadError`` if it is no object or has no id.
    public init(_ value: JSONValue, warnings: inout [FieldWarning]) throws(PayloadError) {
        guard case .object(let json) = value else {
            throw PayloadError(kind: Self.kind, message: "The answer is no JSON object, so no \(Self.kind).")
        }
        try self.init(json, warnings: &warnings)
    }

    /// Splits a list of names at white space.
    static func names(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
