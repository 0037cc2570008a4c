/// Reads an object's fields tolerantly, and collects a warning for each field that it couldn't read.
///
/// The columns are read first, in one loop. Then a ``Payload`` reads the fields that have no column.
public struct FieldReader {
    /// The object's id, its JSON, and the values of its columns.
    public internal(set) var fields: FieldValues
    private let kind: String
    private(set) var warnings: [FieldWarning] = []

    /// - Throws: ``PayloadError`` if the object has no id.
    init(_ json: JSONObject, kind: String, columns: [Column]) throws(PayloadError) {
        guard let id = json["id"]?.idText else {
            throw PayloadError(kind: kind, message: "The \(kind) has no id.")
        }
        self.kind = kind
        fields = FieldValues(id: id, json: json)
        fields.values.reserveCapacity(columns.count)
        // Columns of one inner object are adjacent, so that the object is looked up and checked once.
        var parent: String?, inner: JSONObject?
        for column in columns {
            var found: JSONValue?
            if let key = column.parent {
                if parent != key.text { (parent, inner) = (key.text, object(key.text)) }
                found = inner?[column.key]
            } else {
                found = json[column.key]
            }
            fields.values.append(value(found, column.fieldType, column.path))
        }
    }

    // MARK: Fields without a column

    /// The id of another object in a field: a text, or a number as it was written; `nil` if there is none.
    public mutating func reference(_ name: String) -> String? {
        reference(fields.json[name], name)
    }

    /// The id of an inner object, such as `artist`; `nil` if there is none.
    public mutating func id(of name: String) -> String? {
        reference(object(name)?["id"], "\(name).id")
    }

    /// A whole number, or a text that is one; `nil` if there is none.
    public mutating func integer(_ name: String) -> Int? {
        guard case .integer(let number) = value(fields.json[name], .integer, name) else { return nil }
        return Int(number)
    }

    /// An inner object; `nil` if there is none.
    public mutating func object(_ name: String) -> JSONObject? { field(name, "object", \.objectValue) }

    /// The ids in an array of ids or of objects, in order and each once; `nil` if there is no array.
    public mutating func ids(_ name: String) -> [String]? {
        guard let elements = field(name, "array", \.arrayValue) else { return nil }
        var result: [String] = [], seen: Set<[UInt8]> = []
        for (index, element) in elements.enumerated() {
            guard let id = element.objectValue?["id"]?.idText ?? element.idText else {
                warn("\(name)[\(index)]", expected: "object with an id", found: element)
                continue
            }
            if seen.insert(Array(id.utf8)).inserted { result.append(id) }
        }
        return result
    }

    /// The parts in an array of objects. A part that can't be read is left out with a warning.
    public mutating func parts<Part: Payload>(_ name: String, _ type: Part.Type) -> [Part] {
        guard let elements = field(name, "array", \.arrayValue) else { return [] }
        var result: [Part] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                result.append(try Part(element, warnings: &warnings))
            } catch {
                warn("\(name)[\(index)]", expected: "object with an id", found: element)
            }
        }
        return result
    }

    private mutating func field<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) -> Value? {
        let found = fields.json[name], value = found.flatMap(read)
        if value == nil { warnUnlessAbsent(found, name, expected) }
        return value
    }

    // MARK: One value

    private mutating func reference(_ found: JSONValue?, _ name: @autoclosure () -> String) -> String? {
        if case .text(let id) = value(found, .loose, name()) { id } else { nil }
    }

    /// The value of a field; `null` and a warning if it has another type than the API defines.
    ///
    /// - Parameter name: evaluated only for a warning, because most fields are absent.
    private mutating func value(
        _ found: JSONValue?, _ type: Column.FieldType, _ name: @autoclosure () -> String
    ) -> FieldValue {
        switch (type, found) {
        case (_, nil), (_, .null?): return .null
        case (_, .string(let text)?) where text.isBlank: return .null
        case (.text, .string(let text)?), (.loose, .string(let text)?), (.any, .string(let text)?):
            return .text(text)
        case (.loose, .number(let number)?), (.any, .number(let number)?): return .text(number.lexeme)
        case (.any, .array?), (.any, .object?): return found.map { .text($0.canonicalText) } ?? .null
        case (.flag, _):
            if let flag = found?.looseFlag { return .integer(flag ? 1 : 0) }
        case (.integer, _):
            if let number = found?.looseNumber?.intValue { return .integer(Int64(number)) }
        case (.real, _):
            if let number = found?.looseNumber?.doubleValue, number.isFinite { return .real(number) }
        case (.texts, .array(let elements)?):
            return .text(JSONValue.canonicalText(of: texts(elements, name())))
        case (.addresses, .object(let found)?):
            return addresses(found, name())
        default: break
        }
        warnUnlessAbsent(found, name(), type.expected)
        return .null
    }

    private mutating func texts(_ elements: [JSONValue], _ name: String) -> [String] {
        elements.enumerated().compactMap { index, element in
            if case .text(let text) = value(element, .text, "\(name)[\(index)]") { text } else { nil }
        }
    }

    /// The usable addresses of a picture's formats (``ImageAddress/urls(_:)``); `null` if there are none.
    private mutating func addresses(_ found: JSONObject, _ name: String) -> FieldValue {
        let usable = ImageAddress.urls(.object(found))
        for format in ImageEntry.formats where usable[format] == nil {
            warnUnlessAbsent(found[format], "\(name).\(format)", "http or https URL")
        }
        // The warning doesn't name the format, because its name is the server's.
        if found.keys.contains(where: { !ImageEntry.formats.contains($0) }) {
            warnings.append(
                FieldWarning(
                    kind: kind, id: fields.id, field: name, expected: "object of known formats",
                    found: "object with other formats"))
        }
        guard !usable.isEmpty else { return .null }
        return .text(JSONValue.object(JSONObject(usable.map { ($0, .string($1)) })).canonicalText)
    }

    // MARK: Warnings

    private mutating func warnUnlessAbsent(
        _ found: JSONValue?, _ name: @autoclosure () -> String, _ expected: String
    ) {
        switch found {
        case nil, .null?: break
        case .string(let text)? where text.isBlank: break
        case let found?: warn(name(), expected: expected, found: found)
        }
    }

    private mutating func warn(_ field: String, expected: String, found value: JSONValue) {
        warnings.append(
            FieldWarning(kind: kind, id: fields.id, field: field, expected: expected, found: value.typeName))
    }
}

extension Column.FieldType {
    /// The type's name in a ``FieldWarning``.
    fileprivate var expected: String {
        switch self {
        case .text, .loose, .any: "text"
        case .integer: "integer"
        case .real: "number"
        case .flag: "boolean"
        case .texts: "array"
        case .addresses: "object"
        }
    }
}

extension JSONValue {
    /// The boolean, or what a number 0 or 1, or a string, states as one; `nil` for anything else.
    ///
    /// A server that sends `"false"` for `published` means to hide the artwork.
    package var looseFlag: Bool? {
        switch self {
        case .bool(let flag): flag
        case .number(let number): number.intValue.flatMap { [0: false, 1: true][$0] }
        case .string(let text):
            switch text.lowercased().filter({ !$0.isWhitespace }) {
            case "true", "1": true
            case "false", "0": false
            default: nil
            }
        default: nil
        }
    }

    /// The number, or the number in a string; `nil` for anything else.
    var looseNumber: JSONNumber? {
        switch self {
        case .number(let number): return number
        case .string(let text):
            let trimmed = text.drop(while: \.isWhitespace)
            guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return JSONNumber(lexeme: String(trimmed[...last]))
        default: return nil
        }
    }

    /// The value's type in a ``FieldWarning``.
    fileprivate var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "text"
        case .array: "array"
        case .object: "object"
        }
    }
}
