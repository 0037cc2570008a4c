/// Reads fields out of an object as tolerantly as the API asks, and collects what it could not take.
struct FieldReader {
    let kind: String
    let id: String
    let json: JSONObject
    private(set) var warnings: [FieldWarning] = []

    /// - Throws: ``PayloadError`` if the object has no id.
    init(_ json: JSONObject, kind: String) throws(PayloadError) {
        guard let id = json[field: "id"]?.idText else {
            throw PayloadError(kind: kind, message: "The \(kind) has no id.")
        }
        self.kind = kind
        self.id = id
        self.json = json
    }

    mutating func text(_ name: StaticString) -> String? { text(json[field: name], name.description) }

    /// A text for which a number will do, as it is spelled: the API leaves the type of these open.
    mutating func looseText(_ name: StaticString) -> String? {
        looseText(json[field: name], name.description)
    }

    /// A text, or anything structured as its canonical JSON.
    mutating func anyText(_ name: StaticString) -> String? {
        let value = json[field: name]
        switch value {
        case .array?, .object?: return value?.canonicalText
        default: return looseText(value, name.description)
        }
    }

    /// An id beside the object's own: a text, or a number as it is spelled.
    mutating func reference(_ name: StaticString) -> String? { looseText(name) }

    mutating func integer(_ name: StaticString) -> Int? {
        let value = json[field: name]
        guard let integer = value?.looseNumber?.intValue else {
            return absent(value, name.description, "integer")
        }
        return integer
    }

    mutating func real(_ name: StaticString) -> Double? { real(json[field: name], name.description) }

    mutating func flag(_ name: StaticString) -> Bool? {
        let found = json[field: name]
        if case .bool(let value)? = found { return value }
        return absent(found, name.description, "boolean")
    }

    mutating func object(_ name: StaticString) -> JSONObject? {
        let found = json[field: name]
        if case .object(let object)? = found { return object }
        return absent(found, name.description, "object")
    }

    /// A member of an object that is a field: `dimensions.in`.
    mutating func text(_ name: StaticString, in object: JSONObject?, of field: StaticString) -> String? {
        text(object?[field: name], "\(field).\(name)")
    }

    mutating func reference(_ name: StaticString, in object: JSONObject?, of field: StaticString) -> String? {
        looseText(object?[field: name], "\(field).\(name)")
    }

    mutating func real(_ name: StaticString, in object: JSONObject?, of field: StaticString) -> Double? {
        real(object?[field: name], "\(field).\(name)")
    }

    mutating func array(_ name: StaticString) -> [JSONValue]? {
        let found = json[field: name]
        if case .array(let elements)? = found { return elements }
        return absent(found, name.description, "array")
    }

    mutating func texts(_ name: StaticString) -> [String]? {
        guard let elements = array(name) else { return nil }
        var result: [String] = []
        for (index, element) in elements.enumerated() {
            if let text = text(element, "\(name)[\(index)]") { result.append(text) }
        }
        return result
    }

    /// The ids in an array of ids or of objects that have one; in order, each once.
    mutating func ids(_ name: StaticString) -> [String]? {
        guard let elements = array(name) else { return nil }
        var result: [String] = []
        var seen: Set<[UInt8]> = []
        for (index, element) in elements.enumerated() {
            guard let id = element.objectValue?[field: "id"]?.idText ?? element.idText else {
                warn("\(name)[\(index)]", expected: "object with an id", found: element)
                continue
            }
            // Mostly there are one or two, for which a set would cost more than it saves.
            let isNew =
                elements.count > 8
                ? seen.insert(Array(id.utf8)).inserted : !result.contains { UTF8Order.equal($0, id) }
            if isNew { result.append(id) }
        }
        return result
    }

    /// The parts in an array of objects; one that can't be read is left out with a warning.
    mutating func parts<Part: Payload>(_ name: StaticString, _ type: Part.Type) -> [Part] {
        guard let elements = array(name) else { return [] }
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

    private mutating func text(_ value: JSONValue?, _ name: @autoclosure () -> String) -> String? {
        if case .string(let text)? = value { return text.isBlank ? nil : text }
        return absent(value, name(), "text")
    }

    private mutating func looseText(_ value: JSONValue?, _ name: @autoclosure () -> String) -> String? {
        if case .number(let number)? = value { return number.lexeme }
        return text(value, name())
    }

    private mutating func real(_ value: JSONValue?, _ name: @autoclosure () -> String) -> Double? {
        guard let number = value?.looseNumber?.doubleValue, number.isFinite else {
            return absent(value, name(), "number")
        }
        return number
    }

    /// Nothing; with a warning unless there really is nothing there.
    ///
    /// Names are put together only for a warning: most fields that a payload may have are absent.
    private mutating func absent<Value>(
        _ value: JSONValue?, _ name: @autoclosure () -> String, _ expected: String
    ) -> Value? {
        switch value {
        case nil, .null?: break
        case .string(let text)? where text.isBlank: break
        case let value?: warn(name(), expected: expected, found: value)
        }
        return nil
    }

    private mutating func warn(_ field: String, expected: String, found value: JSONValue) {
        warnings.append(
            FieldWarning(kind: kind, id: id, field: field, expected: expected, found: value.typeName))
    }
}

extension JSONValue {
    /// A number, or what a string that holds one says.
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

    /// What type of value it is, in the words of ``FieldWarning``.
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
