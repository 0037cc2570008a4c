/// An object of the Partner API, read tolerantly from JSON.
///
/// A blank string reads as absent, a numeric string as a number where a number is expected, a field of the wrong type
/// as absent with a ``FieldWarning``; unknown fields are kept in ``json``. Only a missing id is an error.
public protocol Payload: Sendable, Hashable {
    /// The API's singular name: `artwork`.
    static var kind: String { get }
    /// The columns that ``values`` fill, in the same order. Structured fields are flattened: `dimensions_in`, `admin_id`.
    static var columns: [Column] { get }

    var id: String { get }
    /// The whole object as received.
    var json: JSONObject { get }
    /// The scalar fields for the database, one for each of ``columns``; the id is not among them.
    var values: [FieldValue] { get }
    /// What a mirror keeps in tables of its own. Default: nothing.
    var parts: Parts { get }

    /// The object as a mirror serves it on, with addresses of its own and others by id. Default: `nil`, unchanged.
    /// - Parameter partner: the partner's id.
    func served(of partner: String) -> JSONObject?

    /// Reads an object and appends a warning for every field that could not be taken.
    /// - Throws: ``PayloadError`` if it has no id.
    init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError)
}

extension Payload {
    /// ``values`` with their names.
    public var fields: [(name: String, value: FieldValue)] {
        zip(Self.columns, values).map { (name: $0.name, value: $1) }
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
}

/// What an object consists of beside its fields, or refers to.
public struct Parts: Sendable, Hashable {
    public var artistIDs: [String] = []
    public var images: [ImageEntry] = []
    public var editionSets: [EditionSet] = []
    public var locationID: String?

    public init() {}
}
