#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Reads one answer out of the bytes of a connection on which others follow.
///
/// Takes in whole heads and bodies whose length the head tells; whatever is less plain is `unfit`.
package struct PipelinedAnswer {
    package enum Step {
        /// Everything was read, and it is not over.
        case more
        case head(TransportResponse)
        /// Valid as long as the bytes that were read.
        case body(UnsafeRawBufferPointer)
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
        if head.status == 0, !line.starts(with: "HTTP/1.1 ".utf8) { return .malformed }
        return head.read(line)
    }

    private mutating func beginBody() -> Step {
        // Nothing is decoded here.
        guard case .bytes(let count) = AnswerFraming(head), head.fields["Content-Encoding"] == nil else {
            return .unfit
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
