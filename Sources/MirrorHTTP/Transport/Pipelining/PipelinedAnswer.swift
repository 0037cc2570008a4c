#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Reads one answer out of the bytes of a connection on which others follow.
///
/// Takes in whole heads and bodies whose length the head tells; whatever is less plain is `unfit`. So is much that others
/// make something of, each in its own way (folded lines, spaces before a colon, line ends that are half ones): where an
/// answer ends is where the next begins, and must not be a matter of opinion.
package struct PipelinedAnswer {
    package enum Step {
        /// Everything was read, and it is not over.
        case more
        case head(TransportResponse)
        /// Valid as long as the bytes that were read.
        case body(UnsafeRawBufferPointer)
        /// Where it ends isn't said in its head: it needs a connection of its own.
        case endless
        case unfit
    }

    /// Known once its head is complete; counts the bytes of the whole answer.
    package private(set) var response: TransportResponse?
    /// Bytes of the body that are still to come.
    package private(set) var left = 0
    /// Whether the server ends the connection behind it.
    private(set) var isLast = false
    var headBytes: Int { head.bytes }
    /// Whether nothing of it is still to come.
    package var isWhole: Bool { response != nil && left == 0 }

    private var head = ResponseHeadReader()
    /// The beginning of a line whose end has not come.
    private var line: [UInt8] = []

    package init() {}

    /// Reads from the front of `bytes`, up to the end of the answer at most.
    package mutating func read(_ bytes: inout UnsafeRawBufferPointer) -> Step {
        guard response == nil else { return readBody(&bytes) }
        while let base = bytes.baseAddress, !bytes.isEmpty {
            guard let end = memchr(base, 0x0A, bytes.count) else {
                line += bytes
                bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.count...])
                return line.count + head.bytes > ResponseHeadReader.limit ? .unfit : .more
            }
            let count = base.distance(to: UnsafeRawPointer(end)) + 1
            let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let step: ResponseHeadReader.Step
            if line.isEmpty {
                step = readLine(piece)
            } else {
                line += piece
                step = line.withUnsafeBytes { readLine($0) }
                line = []
            }
            switch step {
            case .more: continue
            case .complete: return beginBody()
            case .tooLarge, .malformed: return .unfit
            }
        }
        return .more
    }

    private mutating func readLine(_ line: UnsafeRawBufferPointer) -> ResponseHeadReader.Step {
        let isPlain = head.status == 0 ? Self.isStatusLine(line) : Self.isEnd(line) || Self.isField(line)
        return isPlain ? head.read(line) : .malformed
    }

    /// `HTTP/1.1 200 OK`; the words may lack (RFC 9112, section 4).
    private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.starts(with: "HTTP/1.1 ".utf8), line.count > 12 else { return false }
        return line[12] <= 0x20 && hasOneEnd(line)
    }

    private static func isEnd(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count == 1 || (line.count == 2 && line[0] == 0x0D)
    }

    /// A name, which is a token, and a colon behind it (RFC 9112, section 5).
    private static func isField(_ line: UnsafeRawBufferPointer) -> Bool {
        for (index, byte) in line.enumerated() where !TransportRequest.isTokenByte(byte) {
            return byte == UInt8(ascii: ":") && index > 0 && hasOneEnd(line)
        }
        return false
    }

    /// Whether nothing in it could be taken for the end of a line, or of a text, but its end.
    private static func hasOneEnd(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let base = line.baseAddress, memchr(base, 0, line.count) == nil else { return false }
        guard let end = memchr(base, 0x0D, line.count) else { return true }
        return base.distance(to: UnsafeRawPointer(end)) == line.count - 2
    }

    private mutating func beginBody() -> Step {
        // Nothing is decoded here.
        guard head.fields["Content-Encoding"] == nil else { return .endless }
        let count: Int
        switch AnswerFraming(head) {
        case .bytes(let length): count = length
        case .open: return .endless
        case .unclear: return .unfit
        }
        left = count
        isLast = head.fields.connectionOptions.contains("close")
        let response = TransportResponse(
            status: head.status, headers: head.fields, receivedBytes: head.bytes + count)
        self.response = response
        return .head(response)
    }

    private mutating func readBody(_ bytes: inout UnsafeRawBufferPointer) -> Step {
        let count = min(left, bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        left -= count
        return .body(piece)
    }
}

extension HeaderFields {
    /// What both ends of this very connection are to know of it, in small letters (RFC 9110, section 7.6.1).
    var connectionOptions: [String] {
        guard let options = self["Connection"] else { return [] }
        return FieldList.members([options]).map(FieldList.lowered)
    }
}
