import Foundation

/// Cuts what comes into lines.
package struct SnapshotLines {
    /// The longest line that is taken: the list of a million artworks is one.
    static let limit = 64 << 20

    /// A line that doesn't end.
    struct TooLong: Error {}

    private var rest: [UInt8] = []

    package init() {}

    /// Hands out every line that ends in these bytes.
    ///
    /// - Throws: ``TooLong``; what `take` throws.
    package mutating func feed(_ bytes: consuming [UInt8], _ take: (UnsafeRawBufferPointer) throws -> Void)
        throws
    {
        var whole: [UInt8]
        if rest.isEmpty {
            whole = bytes
        } else {
            // What came before has no end of a line in it: only what is new is looked through.
            guard let first = bytes.firstIndex(of: Self.newline) else {
                rest.append(contentsOf: bytes)
                guard rest.count <= Self.limit else { throw TooLong() }
                return
            }
            var line = rest
            rest = []
            line.append(contentsOf: bytes[..<first])
            try line.withUnsafeBytes(take)
            line = []
            whole = [UInt8](bytes[(first + 1)...])
        }
        let left = try whole.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count,
                let found = memchr(buffer.baseAddress! + start, Int32(Self.newline), buffer.count - start)
            {
                let end = UnsafeRawPointer(found) - buffer.baseAddress!
                try take(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
                start = end + 1
            }
            return start
        }
        rest = left == 0 ? whole : [UInt8](whole[left...])
        guard rest.count <= Self.limit else { throw TooLong() }
    }

    /// Whether something came behind the last end of a line.
    package var isCut: Bool { !rest.isEmpty }

    private static let newline = UInt8(ascii: "\n")
}
