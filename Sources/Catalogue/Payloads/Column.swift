/// A column of a kind's table, and the field of an object's JSON that it holds.
public struct Column: Sendable {
    /// What the API says that a field is, and so how it is read and stored.
    public enum FieldType: String, Sendable {
        case text
        /// A text or a number as it is spelled: ids, and fields whose type the API leaves open.
        case loose
        /// As ``loose``, or anything structured as its canonical JSON.
        case any
        /// A whole number, or a text that holds one.
        case integer
        /// A number, or a text that holds one.
        case real
        /// `true` or `false`, stored as 1 or 0.
        case flag
        /// An array of texts, stored as canonical JSON.
        case texts
    }

    /// The column's name: the field's name, after the name of the object that it is in: `dimensions_in`.
    public let name: String
    public let fieldType: FieldType
    /// The field's key. Made once, so that reading a field makes no text.
    let key: JSONKey
    /// The key of the object that the field is in; `nil` for the object itself.
    let parent: JSONKey?

    /// - Parameter path: the field's name, for a field of an inner object after the name of that: `dimensions.in`.
    public init(_ path: String, _ fieldType: FieldType = .text) {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        name = parts.joined(separator: "_")
        key = JSONKey(parts.last ?? "")
        parent = parts.count > 1 ? JSONKey(parts[0]) : nil
        self.fieldType = fieldType
    }

    /// Columns from words such as `title`, `width:real` and `dimensions.in`; without a type they hold text.
    public static func list(_ words: String) -> [Column] {
        words.split(whereSeparator: \.isWhitespace).map { word in
            let parts = word.split(separator: ":").map(String.init)
            guard parts.count > 1 else { return Column(parts[0]) }
            guard let type = FieldType(rawValue: parts[1]) else {
                preconditionFailure("There is no type of field called \(parts[1]).")
            }
            return Column(parts[0], type)
        }
    }

    /// The type of the column in SQLite.
    public var type: String {
        switch fieldType {
        case .text, .loose, .any, .texts: "TEXT"
        case .integer, .flag: "INTEGER"
        case .real: "REAL"
        }
    }

    /// The field's name, with the path to it.
    var path: String { parent.map { "\($0.text).\(key.text)" } ?? key.text }
}

/// The value of one field, ready for a database column.
public enum FieldValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)
}
