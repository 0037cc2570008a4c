/// Reads one top-level JSON array that arrives in chunks, and hands out each element as soon as it is whole.
///
/// A byte order mark before it is passed over. Memory stays bounded by one element, however long the list is. Cutting the
/// input into chunks differently changes nothing. After an error the scanner stays failed: it throws the same again.
public struct ListScanner {
    private enum State {
        /// At the start of the text, behind that number of bytes of a byte order mark.
        case start(marked: Int)
        case beforeArray
        case beforeFirst
        case beforeElement
        case inElement
        case afterElement
        case done
    }

    /// The largest element that is taken, in bytes.
    public let elementLimit: Int
    /// How many elements were handed out.
    public private(set) var count = 0

    private var state = State.start(marked: 0)
    /// Where the current element ends.
    private var element = ElementBounds()
    /// What came of the current element.
    private var carry: [UInt8] = []
    /// Bytes in earlier chunks.
    private var consumed = 0
    private var failure: JSONError?

    /// - Parameter elementLimit: the largest element in bytes. Default: 16 MiB.
    public init(elementLimit: Int = 16 << 20) { self.elementLimit = elementLimit }

    /// Takes the next chunk and calls `receive` for every element that ends in it, in order.
    /// - Throws: ``JSONError`` with the offset from the start of the list, or what `receive` throws.
    public mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ receive: (JSONValue) throws -> Void
    ) throws {
        if let failure { throw failure }
        do {
            try scan(bytes.assumingMemoryBound(to: UInt8.self), receive)
            consumed += bytes.count
        } catch let error as JSONError {
            failure = error
            throw error
        } catch {
            failure = JSONError(.truncated, at: consumed, "Reading the list was given up.")
            throw error
        }
    }

    /// Takes the next chunk; see ``feed(_:_:)-(UnsafeRawBufferPointer,_)``.
    public mutating func feed(_ bytes: [UInt8], _ receive: (JSONValue) throws -> Void) throws {
        try bytes.withUnsafeBytes { try feed($0, receive) }
    }

    /// Ends the list: no more bytes follow.
    /// - Throws: ``JSONError`` if the list was not whole, or was no list.
    public mutating func finish() throws(JSONError) {
        if let failure { throw failure }
        let error: JSONError
        switch state {
        case .done: return
        case .start, .beforeArray:
            error = JSONError(.notAnArray, at: consumed, "A list was expected, and nothing came.")
        default: error = JSONError(.truncated, at: consumed, "The list ends before its closing bracket.")
        }
        failure = error
        throw error
    }

    private mutating func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, _ receive: (JSONValue) throws -> Void
    ) throws {
        guard let base = bytes.baseAddress else { return }
        let end = base + bytes.count
        var p = base
        while p < end {
            switch state {
            case .inElement:
                let first = p
                p = element.advance(from: p, to: end)
                guard carry.count + (p - first) <= elementLimit else {
                    throw error(
                        .elementTooLarge, at: p - base,
                        "An element of the list is larger than \(elementLimit) bytes.")
                }
                carry.append(contentsOf: UnsafeBufferPointer(start: first, count: p - first))
                guard element.isWhole else { continue }
                state = .afterElement
                try emit(end: consumed + (p - base), receive)
            case .start(let marked) where p.pointee == ByteOrderMark.bytes[marked]:
                state = marked + 1 < ByteOrderMark.length ? .start(marked: marked + 1) : .beforeArray
                p += 1
            case .start(0):
                state = .beforeArray
            case .start:
                try step(p.pointee, at: p - base)
            case _ where p.pointee.isJSONSpace:
                p += 1
            default:
                try step(p.pointee, at: p - base)
                if case .inElement = state { carry.append(p.pointee) }
                p += 1
            }
        }
    }

    /// A byte between elements, white space aside.
    private mutating func step(_ byte: UInt8, at offset: Int) throws(JSONError) {
        switch (state, byte) {
        case (.beforeArray, UInt8(ascii: "[")): state = .beforeFirst
        case (.beforeArray, _), (.start, _):
            throw error(.notAnArray, at: offset, "A list was expected, and something else came.")
        case (.beforeFirst, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): state = .done
        case (.afterElement, UInt8(ascii: ",")): state = .beforeElement
        case (.beforeFirst, _), (.beforeElement, _):
            guard let bounds = ElementBounds(first: byte) else {
                throw error(.syntax, at: offset, "An element of the list is missing.")
            }
            (element, state) = (bounds, .inElement)
        case (.done, _): throw error(.trailingGarbage, at: offset, "Something follows the list.")
        default: throw error(.syntax, at: offset, "A comma or the closing bracket was expected in the list.")
        }
    }

    /// Parses the element in ``carry``, and hands it out.
    /// - Parameter end: where it ends, in the list.
    private mutating func emit(end: Int, _ receive: (JSONValue) throws -> Void) throws {
        let start = end - carry.count
        defer { carry.removeAll(keepingCapacity: carry.count <= 1 << 16) }
        let value = try carry.withUnsafeBytes { bytes throws(JSONError) in
            do throws(JSONError) {
                return try JSONParser.read(bytes, passesMark: false).value
            } catch {
                // An element's bounds were found by its brackets, so what is wrong lies inside it.
                let code: JSONError.Code = error.code == .truncated ? .syntax : error.code
                throw JSONError(code, at: start + error.offset, error.message)
            }
        }
        count += 1
        try receive(value)
    }

    private func error(_ code: JSONError.Code, at offset: Int, _ message: String) -> JSONError {
        JSONError(code, at: consumed + offset, message)
    }
}

/// Finds where one element of a list ends, by quotation marks and brackets alone, across any number of chunks.
///
/// What lies inside is judged later by the parser; these bounds only have to be right for valid JSON, and to end
/// somewhere for anything else.
private struct ElementBounds {
    /// Whether the last byte of the element was seen.
    private(set) var isWhole = false
    /// Brackets open; none in a string or a scalar.
    private var depth = 0
    private var inString = false
    private var escaped = false

    /// For before the first element.
    init() {}

    /// - Parameter first: the element's first byte, which is not among the bytes that ``advance(from:to:)`` sees.
    ///   `nil` if no element begins so.
    init?(first: UInt8) {
        switch first {
        case UInt8(ascii: "\""): inString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth = 1
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"): return nil
        default: break
        }
    }

    /// Goes to behind the element's last byte, and sets ``isWhole``, or to the end of the chunk.
    mutating func advance(
        from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        var p = start
        while p < end, !isWhole {
            if inString {
                p = escaped ? p : JSONText.plainRun(from: p, to: end)
                guard p < end else { break }
                if !escaped, p.pointee == UInt8(ascii: "\"") {
                    inString = false
                    isWhole = depth == 0
                }
                escaped = !escaped && p.pointee == UInt8(ascii: "\\")
            } else if depth == 0 {
                // The byte behind a scalar ends it and is not part of it.
                isWhole =
                    p.pointee.isJSONSpace || p.pointee == UInt8(ascii: ",") || p.pointee == UInt8(ascii: "]")
                if isWhole { break }
            } else {
                step(p.pointee)
            }
            p += 1
        }
        return p
    }

    /// A byte inside brackets and outside strings.
    @inline(__always)
    private mutating func step(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): inString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            isWhole = depth == 0
        default: break
        }
    }
}
