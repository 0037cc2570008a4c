import Catalogue

/// The canonical text of an answer, which queries read as `:body` and `:page`.
///
/// Every version of SQLite reads it in the same way: it has no byte order mark, only necessary escapes, each key once, no NUL
/// characters, at most 512 levels, and numbers that SQLite would change are strings.
enum AnswerText {
    /// Reads an answer.
    ///
    /// - Throws: ``SourceReadingError``, if it isn't JSON.
    static func read(_ body: [UInt8]) throws(SourceReadingError) -> JSONValue {
        do {
            let value = try JSONValue(parsing: body)
            return cleaned(value) ?? value
        } catch {
            guard !isMarkup(body) else {
                throw SourceReadingError(
                    .notJSON,
                    "The answer is an HTML page instead of JSON. The server may refuse requests for a while: try again later."
                )
            }
            throw SourceReadingError(.notJSON, "The answer is not JSON. \(error)")
        }
    }

    /// Whether an answer begins as HTML or XML does.
    static func isMarkup(_ body: [UInt8]) -> Bool {
        let text =
            body.withUnsafeBytes { ByteOrderMark.begins($0) }
            ? body.dropFirst(ByteOrderMark.length) : body[...]
        return text.first { $0 > 0x20 } == UInt8(ascii: "<")
    }

    /// The value without NUL characters, and with a string in place of each number that SQLite would change; `nil` if that is
    /// the value itself, so that the usual answer is not copied.
    static func cleaned(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .null, .bool: return nil
        case .number(let number): return number.isExactInSQLite ? nil : .string(number.lexeme)
        case .string(let text): return withoutNUL(text).map(JSONValue.string)
        case .array(let elements):
            var result = elements, isChanged = false
            for index in elements.indices {
                guard let element = cleaned(elements[index]) else { continue }
                result[index] = element
                isChanged = true
            }
            return isChanged ? .array(result) : nil
        case .object(let object):
            var changes: [(index: Int, member: (String, JSONValue))] = []
            for (index, member) in object.members.enumerated() {
                let key = withoutNUL(member.key), value = cleaned(member.value)
                guard key != nil || value != nil else { continue }
                changes.append((index, (key ?? member.key, value ?? member.value)))
            }
            guard !changes.isEmpty else { return nil }
            var members = object.members.map { ($0.key, $0.value) }
            for change in changes { members[change.index] = change.member }
            return .object(JSONObject(members))
        }
    }

    /// The text without NUL characters; `nil` if it has none.
    private static func withoutNUL(_ text: String) -> String? {
        // A buffer is several times as fast to search.
        guard text.utf8.withContiguousStorageIfAvailable({ $0.contains(0) }) ?? text.utf8.contains(0) else {
            return nil
        }
        return String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self)
    }
}

extension JSONNumber {
    /// Whether SQLite's integers of 64 bits, or its finite floating-point numbers, include the number.
    fileprivate var isExactInSQLite: Bool {
        // The longest text of digits that is certainly an integer of 64 bits.
        if lexeme.utf8.count <= 18, !lexeme.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            return true
        }
        if Int64(lexeme) != nil { return true }
        let digits = lexeme.utf8.first == UInt8(ascii: "-") ? lexeme.utf8.dropFirst() : lexeme.utf8[...]
        let isInteger = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return !isInteger && doubleValue.isFinite
    }
}
