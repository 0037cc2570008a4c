/// A column of a kind's table, and the field of the object's JSON that it stores.
public struct Column: Sendable {
    /// The type of a field in the API, which determines how it is read and stored.
    public enum FieldType: String, Sendable {
        case text
        /// A text, or a number as it was written: for ids, and for fields whose type the API doesn't define.
        case loose
        /// Like ``loose``; arrays and objects are stored as canonical JSON.
        case any
        /// A whole number, or a text that is one.
        case integer
        /// A number, or a text that is one.
        case real
        /// `true` or `false`, stored as 1 or 0.
        case flag
        /// An array of texts, stored as canonical JSON.
        case texts
        /// An object from formats of a picture to http or https URLs. The usable ones are stored as canonical JSON.
        case addresses
    }

    /// The column's name: the field's path with `_`, such as `dimensions_in`.
    public let name: String
    /// The type of the field.
    public let fieldType: FieldType
    /// The field's key. Created once, so that reading a field allocates no string.
    let key: JSONKey
    /// The key of the inner object that contains the field; `nil` for a field of the object itself.
    let parent: JSONKey?

    /// Creates a column. Default: for a text.
    ///
    /// - Parameter path: the field's name, such as `title`; for a field of an inner object `dimensions.in`.
    public init(_ path: String, _ fieldType: FieldType = .text) {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        name = parts.joined(separator: "_")
        key = JSONKey(parts.last ?? "")
        parent = parts.count > 1 ? JSONKey(parts[0]) : nil
        self.fieldType = fieldType
    }

    /// Creates columns from words such as `title`, `width:real` and `dimensions.in`. Without a type, they are texts.
    public static func list(_ words: String) -> [Column] {
        words.split(whereSeparator: \.isWhitespace).map { word in
            let parts = word.split(separator: ":").map(String.init)
            guard parts.count > 1 else { return Column(parts[0]) }
            guard let type = FieldType(rawValue: parts[1]) else {
                preconditionFailure("There is no field type \(parts[1]).")
            }
            return Column(parts[0], type)
        }
    }

    /// The type of the column in SQLite.
    public var type: String {
        switch fieldType {
        case .text, .loose, .any, .texts, .addresses: "TEXT"
        case .integer, .flag: "INTEGER"
        case .real: "REAL"
        }
    }

    /// The field's path: `dimensions.in`.
    package var path: String { parent.map { "\($0.text).\(key.text)" } ?? key.text }
}

/// The value of one field, ready for a database column.
public enum FieldValue: Sendable, Hashable {
    /// No value.
    case null
    /// A text.
    case text(String)
    /// A whole number, or 0 or 1 for a flag.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
}
