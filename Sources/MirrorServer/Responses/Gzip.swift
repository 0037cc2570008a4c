import CZlib
import NIOCore

/// Makes one gzip stream of many parts (RFC 1952), each of which its reader can unpack as soon as it has come.
///
/// Used by one answer alone, a part after the other.
final class Gzip: @unchecked Sendable {
    /// Quick: a catalogue takes little more than a quarter of its size, and 6 would take twice as long for an eighth less.
    private static let level: Int32 = 1
    /// Bytes that are made room for at once.
    private static let room = 64 * 1024

    struct Failed: Error {}

    private let stream: OpaquePointer

    /// - Throws: ``Failed`` if there is no memory.
    init() throws {
        guard let stream = czlib_deflate_begin(Self.level) else { throw Failed() }
        self.stream = stream
    }

    deinit { czlib_deflate_end(stream) }

    /// What comes of a part.
    ///
    /// - Parameter ends: whether it is the last one. It may be empty.
    func packed(_ part: ByteBuffer, ends: Bool = false) throws -> ByteBuffer {
        var packed = ByteBuffer()
        try part.withUnsafeReadableBytes { bytes in
            var input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length = bytes.count
            var result: Int32 = 1
            while result == 1 {
                packed.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.room) { room in
                    guard let output = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
                    var made = 0
                    result = czlib_deflate_add(
                        stream, &input, &length, ends ? 1 : 0, output, room.count, &made)
                    return made
                }
            }
            guard result == 0 else { throw Failed() }
        }
        return packed
    }
}

/// Which coding of an answer a client asks for (`Accept-Encoding`, RFC 9110, section 12.5.3).
enum ContentCoding {
    /// Whether the client prefers gzip to the bytes as they are. Without the field it doesn't, nor if it gives gzip a lower
    /// weight or a weight that can't be read.
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
