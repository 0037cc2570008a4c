import Crypto
import Foundation

/// An open file to append to, with the SHA-256 digest of its contents.
///
/// It isn't thread-safe, and its methods block.
struct PartialFile: ~Copyable {
    struct Failure: Error, Sendable {
        let errorNumber: Int32
        var message: String { String(cString: strerror(errorNumber)) }
    }

    private let descriptor: Int32
    private(set) var length = 0
    private var hasher = SHA256()

    /// Opens or creates the file; a symbolic link is refused.
    init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw Failure(errorNumber: errno) }
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    /// Reads the existing bytes into the digest, so that appending can continue.
    mutating func resume() throws {
        hasher = SHA256()
        length = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try Self.uninterrupted {
                pread(descriptor, buffer.baseAddress, buffer.count, off_t(length))
            }
            if count == 0 { return }
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            length += count
        }
    }

    /// Repeats a system call while it is interrupted by a signal.
    private static func uninterrupted(_ call: () -> Int) throws -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            guard errno == EINTR else { throw Failure(errorNumber: errno) }
        }
    }

    mutating func startOver() throws {
        guard ftruncate(descriptor, 0) == 0 else { throw Failure(errorNumber: errno) }
        hasher = SHA256()
        length = 0
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        hasher.update(bufferPointer: bytes)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = try Self.uninterrupted {
                pwrite(descriptor, piece.baseAddress, piece.count, off_t(length))
            }
            length += count
            rest = rest.dropFirst(count)
        }
    }

    /// Syncs the file to the disk, and returns its digest and first bytes.
    func finish() throws -> (digest: [UInt8], signature: [UInt8]) {
        guard fsync(descriptor) == 0 else { throw Failure(errorNumber: errno) }
        var signature = [UInt8](repeating: 0, count: MediaType.signatureLength)
        let count = signature.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw Failure(errorNumber: errno) }
        return (Array(hasher.finalize()), Array(signature.prefix(count)))
    }
}
