import Foundation

/// Cuts what comes into lines. A long one is handed out in parts, as it comes: the list of a million artworks is one.
package struct SnapshotLines {
    package enum Cut {
        /// A line without its end, valid during the call only.
        case whole(UnsafeRawBufferPointer)
        /// The beginning of a long line.
        case begin(UnsafeRawBufferPointer)
        /// What follows of it.
        case more(UnsafeRawBufferPointer, isLast: Bool)
    }

    /// A line that doesn't end.
    struct TooLong: Error {}

    /// Bytes of the longest line.
    static let limit = 256 << 20

    /// A line that has more bytes is handed out in parts.
    private let wholeLimit: Int
    private var rest: [UInt8] = []
    private var isOpen = false
    /// Bytes of the line that has not ended yet.
    private var length = 0

    package init(wholeLimit: Int = 256 << 10) { self.wholeLimit = wholeLimit }

    /// Hands out every line that ends in these bytes, and what there is of a long one that doesn't.
    ///
    /// - Throws: ``TooLong``; what `take` throws.
    package mutating func feed(_ bytes: consuming [UInt8], _ take: (Cut) throws -> Void) throws {
        try bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var start = 0
            while start < buffer.count {
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
                let end = found.map { UnsafeRawPointer($0) - base } ?? buffer.count
                let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                try add(piece, ends: found != nil, take)
                start = end + 1
            }
        }
    }

    private mutating func add(_ piece: UnsafeRawBufferPointer, ends: Bool, _ take: (Cut) throws -> Void)
        throws
    {
        length += piece.count
        guard length <= Self.limit else { throw TooLong() }
        if isOpen {
            try take(.more(piece, isLast: ends))
        } else if ends, rest.isEmpty {
            try take(.whole(piece))
        } else {
            rest.append(contentsOf: piece)
            isOpen = !ends && rest.count > wholeLimit
            if ends || isOpen {
                try rest.withUnsafeBytes { try take(ends ? .whole($0) : .begin($0)) }
                rest.removeAll(keepingCapacity: rest.count <= 2 * wholeLimit)
            }
        }
        if ends { (isOpen, length) = (false, 0) }
    }

    /// Whether something came behind the last end of a line.
    package var isCut: Bool { length > 0 }
}
