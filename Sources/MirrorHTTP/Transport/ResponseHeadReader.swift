/// Reads the head of the final response out of header lines, one line at a time.
///
/// Heads of informational responses are passed over, and what comes after the final head (trailers) is not read.
/// A folded line is joined to the one before it (RFC 9112, section 5.2). Values that are not UTF-8 are read as
/// Latin-1, so that no byte is lost.
struct ResponseHeadReader {
    enum Step: Equatable { case more, complete, tooLarge, malformed }

    /// Bytes of all heads of one exchange; one more is an error.
    static let limit = 300_000

    private(set) var status = 0
    private(set) var fields: [(String, String)] = []
    /// Bytes read so far, informational heads and trailers included.
    private(set) var bytes = 0
    private(set) var isComplete = false

    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        bytes += line.count
        guard bytes <= Self.limit else { return .tooLarge }
        guard !isComplete else { return .more }
        let line = Self.trimmed(line[...])
        if status == 0 { return readStatus(line) }
        if line.isEmpty { return end() }
        return readField(line)
    }

    private mutating func end() -> Step {
        if status < 200, status != 101 {
            status = 0
            fields.removeAll(keepingCapacity: true)
            return .more
        }
        isComplete = true
        return .complete
    }

    /// `HTTP/1.1 200 OK` or `HTTP/2 200`.
    private mutating func readStatus(_ line: Slice<UnsafeRawBufferPointer>) -> Step {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return .malformed }
        let digits = line[line.index(after: space)...].prefix(3)
        guard digits.count == 3, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return .malformed }
        status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return status >= 100 ? .more : .malformed
    }

    private mutating func readField(_ line: Slice<UnsafeRawBufferPointer>) -> Step {
        if let first = line.first, first == 0x20 || first == 0x09 {
            guard let last = fields.last else { return .malformed }
            let folded = Self.trimmedLeft(line)
            fields[fields.count - 1].1 = last.1 + (last.1.isEmpty ? "" : " ") + Self.text(folded)
            return .more
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            return .malformed
        }
        let value = Self.trimmedLeft(line[line.index(after: colon)...])
        fields.append((Self.text(line[..<colon]), Self.text(value)))
        return .more
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if let text = String(validating: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self) {
            return text
        }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 || last == 0x09 {
            bytes.removeLast()
        }
        return bytes
    }

    private static func trimmedLeft(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        bytes.drop { $0 == 0x20 || $0 == 0x09 }
    }
}
