/// Reads fields out of an object as tolerantly as the API asks, and collects what it could not take.
struct FieldReader {
    let kind: String
    let id: String
    let json: JSONObject
    private(set) var warnings: [FieldWarning] = []

    /// - Throws: ``PayloadError`` if the object has no id.
    init(_ json: JSONObject, kind: String) throws(PayloadError) {
        guard let id = json["id"]?.idText else {
            throw PayloadError(kind: kind, message: "The \(kind) has no id.")
        }
        self.kind = kind
        self.id = id
        self.json = json
    }

    mutating func text(_ name: String) -> String? { text(json[name], name) }

    /// A text for which a number will do, as it is spelled: the API leaves the type of these open.
    mutating func looseText(_ name: String) -> String? {
        if case .number(let number)? = json[name] { return number.lexeme }
        return text(json[name], name)
    }

    /// A text, or anything structured as its canonical JSON.
    mutating func anyText(_ name: String) -> String? {
        switch json[name] {
        case .array?, .object?: json[name]?.canonicalText
        default: looseText(name)
        }
    }

    /// An id beside the object's own: a text, or a number as it is spelled.
    mutating func reference(_ name: String) -> String? { looseText(name) }

    mutating func integer(_ name: String) -> Int? {
        guard let number = number(json[name]) else { return absent(json[name], name, "integer") }
        return number.intValue ?? absent(json[name], name, "integer")
    }

    mutating func real(_ name: String) -> Double? { real(json[name], name) }

    mutating func flag(_ name: String) -> Bool? {
        if case .bool(let value)? = json[name] { return value }
        return absent(json[name], name, "boolean")
    }

    mutating func object(_ name: String) -> JSONObject? {
        if case .object(let object)? = json[name] { return object }
        return absent(json[name], name, "object")
    }

    /// A member of an object that is a field: `dimensions.in`.
    mutating func text(_ name: String, in object: JSONObject?, of field: String) -> String? {
        text(object?[name], "\(field).\(name)")
    }

    mutating func reference(_ name: String, in object: JSONObject?, of field: String) -> String? {
        if case .number(let number)? = object?[name] { return number.lexeme }
        return text(object?[name], "\(field).\(name)")
    }

    mutating func real(_ name: String, in object: JSONObject?, of field: String) -> Double? {
        real(object?[name], "\(field).\(name)")
    }

    mutating func array(_ name: String) -> [JSONValue]? {
        if case .array(let elements)? = json[name] { return elements }
        return absent(json[name], name, "array")
    }

    mutating func texts(_ name: String) -> [String]? {
        guard let elements = array(name) else { return nil }
        var result: [String] = []
        for (index, element) in elements.enumerated() {
            if let text = text(element, "\(name)[\(index)]") { result.append(text) }
        }
        return result
    }

    /// The ids in an array of ids or of objects that have one; in order, each once.
    mutating func ids(_ name: String) -> [String]? {
        guard let elements = array(name) else { return nil }
        var result: [String] = []
        var seen: Set<[UInt8]> = []
        for (index, element) in elements.enumerated() {
            guard let id = element.objectValue?["id"]?.idText ?? element.idText else {
                warn("\(name)[\(index)]", expected: "object with an id", found: element)
                continue
            }
            if elements.count == 1 || seen.insert(Array(id.utf8)).inserted { result.append(id) }
        }
        return result
    }

    /// The parts in an array of objects; one that can't be read is left out with a warning.
    mutating func parts<Part: Payload>(_ name: String, _ type: Part.Type) -> [Part] {
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

    private mutating func text(_ value: JSONValue?, _ name: String) -> String? {
        if case .string(let text)? = value { return text.isBlank ? nil : text }
        return absent(value, name, "text")
    }

    private mutating func real(_ value: JSONValue?, _ name: String) -> Double? {
        guard let number = number(value)?.doubleValue, number.isFinite else {
            return absent(value, name, "number")
        }
        return number
    }

    /// A number, or a string that holds one.
    private func number(_ value: JSONValue?) -> JSONNumber? {
        switch value {
        case .number(let number)?: return number
        case .string(let text)?:
            let trimmed = text.drop(while: \.isWhitespace)
            guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return JSONNumber(lexeme: String(trimmed[...last]))
        default: return nil
        }
    }

    /// Nothing; with a warning unless there really is nothing there.
    private mutating func absent<Value>(_ value: JSONValue?, _ name: String, _ expected: String) -> Value? {
        switch value {
        case nil, .null?: break
        case .string(let text)? where text.isBlank: break
        case let value?: warn(name, expected: expected, found: value)
        }
        return nil
    }

    private mutating func warn(_ field: String, expected: String, found value: JSONValue) {
        warnings.append(
            FieldWarning(kind: kind, id: id, field: field, expected: expected, found: value.typeName))
    }
}

extension JSONValue {
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
