import Foundation
import Hummingbird

/// A stored file that is being sent. Open as long as somebody holds it, so a file that is collected meanwhile is sent whole.
final class OpenFile: Sendable {
    private let descriptor: Int32
    let size: Int64

    /// Read in pieces of this many bytes; a file of one piece is sent in one go.
    static let pieceSize: Int64 = 128 * 1024

    /// `nil` if there is no such file.
    ///
    /// - Throws: ``Refusal`` 503 where the process may open no more files: that doesn't say that this one isn't there.
    init?(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == EMFILE || errno == ENFILE { throw Refusal.overloaded }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            // Before the properties have values: deinit, which closes it, doesn't run for what failed here.
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// What a connection is given of the file, read as fast as it takes it.
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
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: missing) { memory in
                max(0, pread(self.descriptor, memory.baseAddress, min(missing, memory.count), off_t(offset)))
            }
            // The length was promised: what was cut short ends the connection, and the client sees that.
            guard got > 0 else { throw Refusal.failed }
        }
        return buffer
    }
}
