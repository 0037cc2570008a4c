import CZlib
import NIOCore

/// Compresses parts into one gzip stream (RFC 1952). The client can decompress each part as soon as it arrives.
///
/// `@unchecked Sendable`: each instance is used by one answer, which compresses its parts one after the other.
final class Gzip: @unchecked Sendable {
    /// The fastest level. It compresses a catalogue to about a quarter; level 6 takes twice as long for an eighth less.
    private static let level: Int32 = 1
    /// The minimum space for output in bytes, reserved before each call of zlib.
    private static let outputSpace = 64 * 1024

    struct Failed: Error {}

    private let stream: OpaquePointer

    /// - Throws: ``Failed`` if memory can't be allocated.
    init() throws {
        guard let stream = czlib_deflate_begin(Self.level) else { throw Failed() }
        self.stream = stream
    }

    deinit { czlib_deflate_end(stream) }

    /// Compresses a part.
    ///
    /// - Parameter isLast: whether the stream ends with this part, which may be empty. Default: `false`.
    func compressed(_ part: ByteBuffer, isLast: Bool = false) throws -> ByteBuffer {
        var compressed = ByteBuffer()
        try part.withUnsafeReadableBytes { bytes in
            var input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length = bytes.count
            var result: Int32 = 1
            while result == 1 {
                compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.outputSpace) { space in
                    guard let output = space.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                        return 0
                    }
                    var written = 0
                    result = czlib_deflate_add(
                        stream, &input, &length, isLast ? 1 : 0, output, space.count, &written)
                    return written
                }
            }
            guard result == 0 else { throw Failed() }
        }
        return compressed
    }
}

/// Reads the field `Accept-Encoding` (RFC 9110, section 12.5.3).
enum ContentCoding {
    /// Whether the client prefers gzip to an uncompressed answer.
    ///
    /// `false` without the field, and if the weight of gzip is lower or can't be read.
    static func prefersGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var gzip: Double?, identity: Double?, any: Double?
        for member in field.split(separator: ",") {
            let parts = member.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first, !name.isEmpty else { continue }
            let weights = parts.dropFirst().filter { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let weight = weights.first ?? 1
            switch name {
            case "gzip", "x-gzip": gzip = max(gzip ?? 0, weight)
            case "identity": identity = weight
            case "*": any = weight
            default: break
            }
        }
        guard let wanted = gzip ?? any, wanted > 0 else { return false }
        return wanted >= identity ?? 0
    }
}
