import CZlib

/// The content coding that a response's head names for its body (RFC 9110, section 8.4).
enum BodyCoding: Sendable, Hashable {
    /// None: the field is absent or empty, or says `identity`.
    case none
    /// `gzip`, or `x-gzip`, which is the same (section 8.4.1.3).
    case gzip
    /// Anything else, as it was sent. So is a list of two codings, be it `gzip, gzip`.
    case unknown(String)

    init(_ head: HeaderFields) {
        guard head.has("Content-Encoding") else {
            self = .none
            return
        }
        let names = FieldList.members(head.values(of: "Content-Encoding")).filter {
            !HeaderFields.same($0, "identity")
        }
        switch names.first {
        case nil: self = .none
        case let name? where names.count == 1 && Self.isGzip(name): self = .gzip
        default: self = .unknown(names.joined(separator: ", "))
        }
    }

    private static func isGzip(_ name: String) -> Bool {
        HeaderFields.same(name, "gzip") || HeaderFields.same(name, "x-gzip")
    }
}

/// Decodes gzip as its bytes come: one member after the other (RFC 1952), each checked by its own sum and length.
///
/// It gives out pieces of bounded size on demand, so that a sink that has enough for now can pause within a piece of the
/// wire. Belongs to one thread at a time.
final class GzipDecoder {
    enum Failure: Error {
        /// What came is no gzip member, or its sum or length is wrong.
        case broken
        /// The body ended within a member.
        case cutOff
        case outOfMemory
    }

    /// The longest piece that is given out, in bytes.
    static let pieceLength = 32 << 10

    private let stream: OpaquePointer
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: pieceLength)
    private var isInMember = false
    /// Whether the last call filled the buffer, so that there may be more without any input.
    private var isFull = false

    /// - Throws: ``Failure/outOfMemory``.
    init() throws(Failure) {
        guard let stream = czlib_inflate_begin() else {
            buffer.deallocate()
            throw .outOfMemory
        }
        self.stream = stream
    }

    deinit {
        czlib_inflate_end(stream)
        buffer.deallocate()
    }

    /// Whether the body may end here: behind its last member, or before the first, as an empty body has nothing to decode.
    var isComplete: Bool { !isInMember }

    /// Whether ``next(from:)`` may give out something without more input.
    var mayHaveMore: Bool { isFull }

    /// The next piece of what the input decodes to, valid until the next call; `nil` if more input is needed for one.
    ///
    /// - Parameter input: moved on by what was taken; empty if `nil` is returned.
    func next(from input: inout UnsafeRawBufferPointer) throws(Failure) -> UnsafeRawBufferPointer? {
        while isFull || !input.isEmpty {
            if !isInMember {
                czlib_inflate_restart(stream)
                isInMember = true
            }
            var bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var length = input.count, made = 0
            let result = Int(czlib_inflate_add(stream, &bytes, &length, buffer, Self.pieceLength, &made))
            input = UnsafeRawBufferPointer(rebasing: input[(input.count - length)...])
            switch result {
            case Int(CZLIB_INFLATE_MORE): isFull = made == Self.pieceLength
            case Int(CZLIB_INFLATE_END): (isInMember, isFull) = (false, false)
            case Int(CZLIB_INFLATE_NO_MEMORY): throw .outOfMemory
            default: throw .broken
            }
            if made > 0 { return UnsafeRawBufferPointer(start: buffer, count: made) }
        }
        return nil
    }
}
