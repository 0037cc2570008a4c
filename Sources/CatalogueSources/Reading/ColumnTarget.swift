import Catalogue

/// Where a column of a query goes in the JSON of an object.
enum ColumnTarget: Sendable {
    /// A field of the kind; `parent` is the inner object that contains it, as `dimensions` contains `in`.
    case field(parent: String?, key: String, Column.FieldType)
    /// A field of the kind that is for the reader, such as `location_id`.
    case special(String)
    /// A field that the kind doesn't have. It is kept as it is.
    case other(String)

    /// - Parameter special: the names of columns that the reader takes.
    init(_ name: String, of columns: [Column], special: Set<String>) {
        if special.contains(name) {
            self = .special(name)
        } else if let column = columns.first(where: { $0.name == name || $0.path == name }) {
            let parts = column.path.split(separator: ".").map(String.init)
            self = .field(
                parent: parts.count > 1 ? parts[0] : nil, key: parts.last ?? name, column.fieldType)
        } else {
            self = .other(name)
        }
    }
}

/// The columns of a query, and where each goes.
struct ColumnPlan: Sendable {
    let names: [String]
    private let targets: [ColumnTarget]

    init(_ names: [String], of columns: [Column], special: Set<String>) {
        self.names = names
        targets = names.map { ColumnTarget($0, of: columns, special: special) }
    }

    /// The columns that aren't fields of the kind.
    var others: [String] {
        targets.compactMap { target in
            if case .other(let name) = target { name } else { nil }
        }
    }

    /// The fields in a row, without those that are absent, and without the reader's own.
    func members(of row: SQLRow) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [], inner: [String: [(String, JSONValue)]] = [:]
        members.reserveCapacity(targets.count + 4)
        for (target, value) in zip(targets, row.values) {
            switch target {
            case .special: break
            case .field(nil, let key, let type):
                if let json = value.json(as: type) { members.append((key, json)) }
            case .field(let parent?, let key, let type):
                if let json = value.json(as: type) { inner[parent, default: []].append((key, json)) }
            case .other(let name): if let json = value.json { members.append((name, json)) }
            }
        }
        for (parent, fields) in inner { members.append((parent, .object(JSONObject(fields)))) }
        return members
    }
}

extension SQLValue {
    /// Whether a column with this value counts as absent: NULL, or a blank text.
    var isAbsent: Bool {
        switch self {
        case .null: true
        case .text(let text): text.isBlank
        case .integer, .real: false
        }
    }

    /// The value as an id: a text that isn't blank, or an integer; `nil` for anything else.
    var idText: String? {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text.isBlank || text.utf8.contains(0) ? nil : text
        case .null, .real: nil
        }
    }

    /// The value as text; `nil` if it is absent.
    var filledText: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): JSONNumber(number)?.lexeme
        case .text(let text): text.isBlank ? nil : text
        }
    }

    /// Whether the value means "yes": a number but 0, or a text but `0` and `false`.
    var isTrue: Bool {
        switch self {
        case .null: false
        case .integer(let number): number != 0
        case .real(let number): number != 0
        case .text(let text): !text.isBlank && text != "0" && text.lowercased() != "false"
        }
    }

    /// A whole number, or a text that is one; `nil` for anything else.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(number)
        case .real(let number): Int(exactly: number)
        case .text(let text): Int(text)
        case .null: nil
        }
    }

    /// The value as it is; `nil` if it is absent.
    var json: JSONValue? {
        switch self {
        case .null: nil
        case .integer(let number): JSONNumber(lexeme: String(number)).map(JSONValue.number)
        case .real(let number): JSONNumber(number).map(JSONValue.number)
        case .text(let text): text.isBlank ? nil : .string(text)
        }
    }

    /// The value as a field of this type; `nil` if it is absent.
    ///
    /// A value that can't be converted is not changed. When the object is read, it is reported as a field of another type.
    func json(as type: Column.FieldType) -> JSONValue? {
        switch type {
        case .text, .loose, .any: return filledText.map(JSONValue.string)
        case .integer: return wholeNumber.map { .number(JSONNumber($0)) } ?? json
        case .real:
            guard case .text(let text) = self else { return json }
            return JSONNumber(lexeme: text).map(JSONValue.number) ?? json
        case .flag:
            switch self {
            case .integer(let number): return .bool(number != 0)
            case .text("true"), .text("1"): return .bool(true)
            case .text("false"), .text("0"): return .bool(false)
            case .null, .real, .text: return json
            }
        case .texts:
            guard let text = filledText else { return nil }
            if let list = try? JSONValue(parsing: text), list.arrayValue != nil { return list }
            return .array([.string(text)])
        case .addresses:
            guard let text = filledText else { return nil }
            return (try? JSONValue(parsing: text)) ?? .string(text)
        }
    }
}
