import CZlib

/// The content coding of a response body (RFC 9110, section 8.4).
enum BodyCoding: Sendable, Hashable {
    /// No coding: `Content-Encoding` is absent, empty or `identity`.
    case none
    /// `gzip`, or its synonym `x-gzip` (section 8.4.1.3).
    case gzip
    /// Any other value, including a list of several codings such as `gzip, gzip`.
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

/// A streaming gzip decoder (RFC 1952), which decodes all members and checks the checksum and length of each.
///
/// It returns chunks of bounded size on demand, so that a sink can pause within a received piece. It must be used on one
/// thread at a time.
final class GzipDecoder {
    enum Failure: Error {
        /// The data isn't a gzip member, or its checksum or length is wrong.
        case broken
        /// The body ended within a member.
        case cutOff
        case outOfMemory
    }

    /// The maximum length of a returned chunk, in bytes.
    static let pieceLength = 32 << 10

    private let stream: OpaquePointer
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: pieceLength)
    private var isInMember = false
    /// Whether the last call filled the buffer, so that there may be more output without further input.
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

    /// Whether the body may end now: after a complete member, or before the first one, as a body may be empty.
    var isComplete: Bool { !isInMember }

    /// Whether ``next(from:)`` may return a chunk without further input.
    var mayHaveMore: Bool { isFull }

    /// The next decoded chunk, valid until the next call; `nil` if further input is needed.
    ///
    /// - Parameter input: Consumed bytes are removed from its start. It is empty if `nil` is returned.
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
