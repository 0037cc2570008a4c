import Foundation
import Hummingbird
import MirrorStore

/// A stored file that is being sent.
///
/// The file is open as long as the instance exists, so it is sent completely even if it is deleted meanwhile.
final class OpenFile: Sendable {
    private let descriptor: Int32
    let size: Int64

    /// The size of a piece in bytes. Files up to this size are read at once; larger files are streamed in pieces.
    static let pieceSize: Int64 = 128 * 1024

    /// Opens a file; `nil` if there is no such file.
    ///
    /// - Throws: ``Refusal`` 503 if the process can't open more files.
    init?(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == EMFILE || errno == ENFILE { throw Refusal.overloaded }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            // `deinit` doesn't run if the initialiser fails before all properties are set.
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    /// Opens a stored file; `nil` if there is no file of its size, so that an emptied or truncated file is never sent as complete.
    ///
    /// - Throws: ``Refusal`` 503 if the process can't open more files.
    convenience init?(_ file: StoredFile, in files: FileStore) throws {
        try self.init(path: files.absolutePath(file))
        guard size == file.size else { return nil }
    }

    deinit { close(descriptor) }

    /// A response body with a range of the file, read as fast as the connection sends it.
    func body(_ range: Range<Int64>) throws -> ResponseBody {
        let count = range.upperBound - range.lowerBound
        guard count > Self.pieceSize else { return ResponseBody(byteBuffer: try read(range)) }
        return ResponseBody(contentLength: Int(count)) { writer in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.pieceSize)) {
                let piece = start..<min(start + Self.pieceSize, range.upperBound)
                try await writer.write(offloadBlocking { try self.read(piece) })
            }
            try await writer.finish(nil)
        }
    }

    private func read(_ range: Range<Int64>) throws -> ByteBuffer {
        let count = Int(range.upperBound - range.lowerBound)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        while buffer.readableBytes < count {
            let offset = range.lowerBound + Int64(buffer.readableBytes)
            let missing = count - buffer.readableBytes
            let readCount = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: missing) { memory in
                max(0, pread(self.descriptor, memory.baseAddress, min(missing, memory.count), off_t(offset)))
            }
            // The length was sent already. The error closes the connection, so the client detects the truncated file.
            guard readCount > 0 else { throw Refusal.failed }
        }
        return buffer
    }
}
