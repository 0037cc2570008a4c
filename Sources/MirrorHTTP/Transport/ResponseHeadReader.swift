/// Reads the head of the final response out of header lines, one line at a time.
///
/// Heads of informational responses are passed over, and what comes after the final head (trailers) is not read.
/// A folded line is joined to the one before it (RFC 9112, section 5.2). Values that are not UTF-8 are read as
/// Latin-1, so that no byte is lost.
package struct ResponseHeadReader {
    package enum Step: Equatable { case more, complete, tooLarge, malformed }

    /// Bytes of all heads of one exchange; one more is an error.
    static let limit = 300_000

    package private(set) var status = 0
    package private(set) var fields = HeaderFields()
    /// Bytes read so far, informational heads and trailers included.
    package private(set) var bytes = 0
    package private(set) var isComplete = false

    package init() {}

    package mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        bytes += line.count
        guard bytes <= Self.limit else { return .tooLarge }
        guard !isComplete else { return .more }
        let isFolded = line.first.map(Self.isBlank) == true
        let line = Self.trimmed(line)
        if status == 0 { return readStatus(line) }
        // A line of blanks goes on with the one before it.
        if line.isEmpty { return isFolded ? .more : end() }
        return readField(line)
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
    private mutating func readStatus(_ line: UnsafeRawBufferPointer) -> Step {
        guard let space = Self.place(of: UInt8(ascii: " "), in: line), line.count > space + 3 else {
            return .malformed
        }
        for index in space + 1...space + 3 {
            guard line[index] >= 0x30, line[index] <= 0x39 else { return .malformed }
            status = status * 10 + Int(line[index] - 0x30)
        }
        fields.reserve(16)
        return status >= 100 ? .more : .malformed
    }

    private mutating func readField(_ line: UnsafeRawBufferPointer) -> Step {
        if Self.isBlank(line[0]) {
            return fields.extendLast(by: Self.text(Self.trimmedLeft(line))) ? .more : .malformed
        }
        guard let colon = Self.place(of: UInt8(ascii: ":"), in: line), colon > 0 else { return .malformed }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = Self.trimmedLeft(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        fields.append(Self.text(name), Self.text(value))
        return .more
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        // ASCII, as nearly always: the quickest way to a string.
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        if seen < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    private static func place(of byte: UInt8, in line: UnsafeRawBufferPointer) -> Int? {
        for index in 0..<line.count where line[index] == byte { return index }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = line.count
        while end > 0, isBlank(line[end - 1]) || line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<end])
    }

    private static func trimmedLeft(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        while start < line.count, isBlank(line[start]) { start += 1 }
        return UnsafeRawBufferPointer(rebasing: line[start...])
    }
}
