/// Parses the head of the final response, one header line at a time.
///
/// - Heads of informational responses are skipped, and trailers are ignored.
/// - A folded line is joined to the previous one (RFC 9112, section 5.2).
/// - Values that aren't UTF-8 are read as Latin-1, so that no byte is lost.
package struct ResponseHeadReader {
    package enum Step: Equatable { case more, complete, tooLarge, malformed }

    /// The maximum length of all heads of one exchange, in bytes.
    static let limit = 300_000

    package private(set) var status = 0
    package private(set) var fields = HeaderFields()
    /// The bytes read so far, including informational heads and trailers.
    package private(set) var bytes = 0
    package private(set) var isComplete = false

    package init() {}

    package mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        bytes += line.count
        guard bytes <= Self.limit else { return .tooLarge }
        guard !isComplete else { return .more }
        let isFolded = line.first.map(Self.isBlank) ?? false
        var line = line[...]
        while let last = line.last, Self.isBlank(last) || last == 0x0A || last == 0x0D { line.removeLast() }
        if status == 0 { return readStatus(line) }
        // A line that only has white space continues the previous one.
        if line.isEmpty { return isFolded ? .more : end() }
        return readField(line, isFolded: isFolded)
    }

    private mutating func end() -> Step {
        if status < 200, status != 101 {
            status = 0
            fields = HeaderFields()
            return .more
        }
        isComplete = true
        return .complete
    }

    /// `HTTP/1.1 200 OK` or `HTTP/2 200`.
    private mutating func readStatus(_ line: Slice<UnsafeRawBufferPointer>) -> Step {
        let digits = line.drop { $0 != 0x20 }.dropFirst().prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return .malformed }
        status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return status >= 100 ? .more : .malformed
    }

    private mutating func readField(_ line: Slice<UnsafeRawBufferPointer>, isFolded: Bool) -> Step {
        if isFolded {
            return fields.extendLast(by: Self.text(line.drop(while: Self.isBlank))) ? .more : .malformed
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return .malformed }
        fields.append(
            Self.text(line[..<colon]), Self.text(line[(colon + 1)...].drop(while: Self.isBlank)))
        return .more
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(validating: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
