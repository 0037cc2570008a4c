import Foundation

/// Random access to the bytes of a file, up to a limit, to read a header.
///
/// Bytes are read in blocks of 4 KiB. Each block that is read counts towards the limit, also if it is read again, so that a
/// hostile header can't cause more than 256 reads.
package struct HeaderBytes {
    /// The maximum number of bytes that are read in total: 1 MiB.
    package static let limit = 1 << 20
    private static let blockSize = 4_096

    /// Returns up to `count` bytes from an offset on; fewer at the end, none beyond it or after an error.
    private let load: (_ offset: Int, _ count: Int) -> [UInt8]
    private var block: [UInt8] = []
    private var blockStart = -1
    /// The number of bytes that may still be read.
    private(set) var remaining = limit

    /// Reads bytes that are in memory.
    package init(_ bytes: [UInt8]) {
        load = { offset, count in
            offset < bytes.count ? Array(bytes[offset..<min(bytes.count, offset + count)]) : []
        }
    }

    private init(descriptor: Int32) {
        load = { offset, count in
            [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
            }
        }
    }

    /// Opens a file, calls `body` with its bytes, and closes it.
    ///
    /// - Returns: `nil` if the file can't be opened.
    static func withFile<Result>(_ path: String, _ body: (HeaderBytes) -> Result) -> Result? {
        // `O_NONBLOCK`: opening a pipe that somebody put there must not wait.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(HeaderBytes(descriptor: descriptor))
    }

    /// The byte at an offset; `nil` beyond the end, or if the limit is reached.
    mutating func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset <= Int(Int32.max) else { return nil }
        let start = offset - offset % Self.blockSize
        if start != blockStart {
            guard remaining >= Self.blockSize else { return nil }
            remaining -= Self.blockSize
            (block, blockStart) = (load(start, Self.blockSize), start)
        }
        let index = offset - start
        return index < block.count ? block[index] : nil
    }

    /// Whether these bytes are at an offset.
    mutating func have(_ expected: some Sequence<UInt8>, at offset: Int) -> Bool {
        var offset = offset
        for value in expected {
            guard byte(at: offset) == value else { return false }
            offset += 1
        }
        return true
    }

    /// A number of up to four bytes, the highest first; `nil` beyond the end.
    mutating func bigEndian(at offset: Int, count: Int) -> Int? {
        var number = 0
        for index in 0..<count {
            guard let byte = byte(at: offset + index) else { return nil }
            number = number << 8 | Int(byte)
        }
        return number
    }

    /// A number of up to four bytes, the lowest first; `nil` beyond the end.
    mutating func littleEndian(at offset: Int, count: Int) -> Int? {
        var number = 0
        for index in (0..<count).reversed() {
            guard let byte = byte(at: offset + index) else { return nil }
            number = number << 8 | Int(byte)
        }
        return number
    }
}
