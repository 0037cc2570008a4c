/// Reads a JSON value (RFC 8259) from UTF-8 bytes in one pass.
struct JSONParser {
    /// The maximum nesting. Later code that walks values recursively then can't exhaust the stack.
    static let maximumDepth = 512

    let start: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>
    var p: UnsafePointer<UInt8>
    /// Whether the input is in canonical form so far. It may be `false` for canonical input, never `true` for other input.
    var isCanonical = true

    /// Skips a byte order mark (RFC 8259, section 8.1) and white space; `nil` if `bytes` is empty.
    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return nil }
        start = base.assumingMemoryBound(to: UInt8.self)
        end = start + bytes.count
        p = start
        if ByteOrderMark.begins(bytes) {
            isCanonical = false
            p += ByteOrderMark.length
        }
        skipSpace()
    }

    /// Reads a text that is one value, and whether it is in canonical form.
    static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(JSONError) -> (value: JSONValue, isCanonical: Bool) {
        guard var parser = JSONParser(bytes) else {
            throw JSONError(.truncated, at: 0, "The input is empty: JSON was expected.")
        }
        let value = try parser.value()
        try parser.finish("There is more text after the JSON value.")
        return (value, parser.isCanonical)
    }

    /// Reads a text that is one array, and passes each element to `take` as soon as it is read.
    static func readList(_ bytes: UnsafeRawBufferPointer, _ take: (JSONValue) throws -> Void) throws {
        guard var parser = JSONParser(bytes), parser.p < parser.end else {
            throw JSONError(.notAnArray, at: bytes.count, "A list was expected, but the input is empty.")
        }
        guard parser.p.pointee == UInt8(ascii: "[") else {
            throw parser.error(.notAnArray, "A list was expected, but the input is not a JSON array.")
        }
        parser.p += 1
        parser.skipSpace()
        let close = UInt8(ascii: "]")
        if parser.p < parser.end, parser.p.pointee == close {
            parser.p += 1
        } else {
            repeat {
                try take(try parser.element())
                parser.skipSpace()
            } while try parser.more(until: close)
        }
        try parser.finish("There is more text after the list.")
    }

    /// The maximum size of a list's element in bytes. A decoded element needs a multiple of this in memory.
    private static let elementLimit = 16 << 20

    /// Reads an element of a list.
    private mutating func element() throws(JSONError) -> JSONValue {
        let inputEnd = end
        end = min(inputEnd, p + min(inputEnd - p, Self.elementLimit))
        do {
            let element = try value()
            end = inputEnd
            return element
        } catch {
            guard p == end, end < inputEnd else { throw error }
            throw self.error(.syntax, "An element of the list is larger than \(Self.elementLimit) bytes.")
        }
    }

    /// Checks that only white space follows.
    private mutating func finish(_ message: String) throws(JSONError) {
        skipSpace()
        guard p == end else { throw error(.trailingGarbage, message) }
    }

    /// Reads a value. Open containers are on a heap-allocated stack, because the thread's stack may be small.
    private mutating func value() throws(JSONError) -> JSONValue {
        // The innermost container is not on the stack: appending to an array's element would be slower.
        var innermost = Container(isObject: false, capacity: 0)
        var outer: [Container] = []
        var depth = 0
        while true {
            guard p < end else { throw error(.truncated, "The JSON ends where a value was expected.") }
            var complete: JSONValue
            switch p.pointee {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < Self.maximumDepth else {
                    throw error(.tooDeep, "The JSON is nested deeper than \(Self.maximumDepth) levels.")
                }
                // Typical for the API: about twenty members in an object, and a few in an inner object.
                var container = Container(
                    isObject: p.pointee == UInt8(ascii: "{"), capacity: depth == 0 ? 24 : 4)
                p += 1
                skipSpace()
                if p < end, p.pointee == container.close {
                    p += 1
                    complete = container.value()
                } else {
                    if container.isObject { container.key = try memberName() }
                    if depth > 0 { outer.append(innermost) }
                    innermost = container
                    depth += 1
                    continue
                }
            default: complete = try scalar()
            }
            // One value may complete several containers.
            while true {
                guard depth > 0 else { return complete }
                innermost.append(complete)
                skipSpace()
                guard try more(until: innermost.close) else {
                    if !innermost.isSorted { isCanonical = false }
                    complete = innermost.value()
                    depth -= 1
                    if depth > 0 { innermost = outer.removeLast() }
                    continue
                }
                if innermost.isObject { innermost.key = try memberName() }
                break
            }
        }
    }

    private mutating func scalar() throws(JSONError) -> JSONValue {
        switch p.pointee {
        case UInt8(ascii: "\""): .string(try string())
        case UInt8(ascii: "t"): try literal("true", .bool(true))
        case UInt8(ascii: "f"): try literal("false", .bool(false))
        case UInt8(ascii: "n"): try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw error(.syntax, "No JSON value begins like this.")
        }
    }

    /// Reads a member's key, its colon, and the white space after it.
    private mutating func memberName() throws(JSONError) -> JSONKey {
        guard p < end else { throw truncated() }
        guard p.pointee == UInt8(ascii: "\"") else {
            throw error(.syntax, "The key of a member was expected.")
        }
        let first = p + 1
        let text = try string()
        let bytes = UnsafeBufferPointer(start: first, count: p - 1 - first)
        // An escape is longer than its character. So if the lengths are equal, there are no escapes.
        let name = text.utf8.count == bytes.count ? JSONKey(text, bytes) : JSONKey(text)
        skipSpace()
        try expect(UInt8(ascii: ":"))
        skipSpace()
        return name
    }

    /// Reads a comma (`true`: another element follows) or the closing bracket (`false`).
    private mutating func more(until close: UInt8) throws(JSONError) -> Bool {
        guard p < end else { throw truncated() }
        if p.pointee == close {
            p += 1
            return false
        }
        try expect(UInt8(ascii: ","))
        skipSpace()
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard p < end else { throw truncated() }
        guard p.pointee == byte else {
            throw error(.syntax, "A \"\(Character(UnicodeScalar(byte)))\" was expected.")
        }
        p += 1
    }

    private mutating func skipSpace() {
        while p < end, p.pointee.isJSONSpace {
            isCanonical = false
            p += 1
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let available = min(end - p, text.utf8CodeUnitCount)
        for offset in 0..<available where p[offset] != text.utf8Start[offset] {
            throw error(.syntax, "No JSON value begins like this.")
        }
        guard available == text.utf8CodeUnitCount else { throw truncated() }
        p += available
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let first = p
        if p.pointee == UInt8(ascii: "-") { p += 1 }
        if p < end, p.pointee == UInt8(ascii: "0") {
            p += 1
        } else {
            try digits()
        }
        if p < end, p.pointee == UInt8(ascii: ".") {
            p += 1
            try digits()
        }
        if p < end, p.pointee | 0x20 == UInt8(ascii: "e") {
            p += 1
            if p < end, p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") { p += 1 }
            try digits()
        }
        let bytes = UnsafeBufferPointer(start: first, count: p - first)
        return .number(JSONNumber(validLexeme: String(decoding: bytes, as: UTF8.self)))
    }

    private mutating func digits() throws(JSONError) {
        guard p < end else { throw truncated() }
        guard p.pointee.isASCIIDigit else { throw error(.syntax, "A digit was expected.") }
        while p < end, p.pointee.isASCIIDigit { p += 1 }
    }

    func error(_ code: JSONError.Code, _ message: String) -> JSONError {
        JSONError(code, at: p - start, message)
    }

    func truncated() -> JSONError { error(.truncated, "The JSON ends in the middle of a value.") }
}

/// An array or object that is still being read.
private struct Container {
    let isObject: Bool
    /// The key of the member whose value is read next.
    var key = JSONKey("")
    private var elements: [JSONValue] = []
    private var members: JSONObject.Builder

    /// - Parameter capacity: the expected number of an object's members.
    init(isObject: Bool, capacity: Int) {
        self.isObject = isObject
        members = JSONObject.Builder(capacity: isObject ? capacity : 0)
    }

    var close: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    var isSorted: Bool { members.isSorted }

    mutating func append(_ value: JSONValue) {
        if isObject { members.append(key, value) } else { elements.append(value) }
    }

    consuming func value() -> JSONValue {
        isObject ? .object(members.build()) : .array(elements)
    }
}
