import Foundation

/// A file of lines that is never held whole.
package final class LineFile {
    private let file: UnsafeMutablePointer<FILE>
    private let path: String
    private var isClosed = false

    package init(writing path: String) throws {
        guard let file = fopen(path, "w") else { throw Self.failure(path, "written") }
        self.file = file
        self.path = path
    }

    deinit { if !isClosed { fclose(file) } }

    /// What can't be written shows in ``close()``.
    package func write(_ line: String) {
        var line = line
        line.append("\n")
        line.withUTF8 { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    }

    /// - Throws: if not all of it was written.
    package func close() throws {
        let failed = ferror(file) != 0
        isClosed = true
        guard fclose(file) == 0, !failed else { throw Self.failure(path, "written whole") }
    }

    /// Reads a file from its beginning, a line at a time, without their ends.
    package static func read(_ path: String, _ body: (String) throws -> Void) throws {
        guard let file = fopen(path, "r") else { throw failure(path, "read") }
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer {
            free(buffer)
            fclose(file)
        }
        while true {
            let length = getline(&buffer, &capacity, file)
            guard length > 0, let buffer else { break }
            let bytes = UnsafeRawBufferPointer(start: buffer, count: length)
            let end = bytes.last == UInt8(ascii: "\n") ? length - 1 : length
            try body(String(decoding: bytes[..<end], as: UTF8.self))
        }
        guard ferror(file) == 0 else { throw failure(path, "read to its end") }
    }

    private static func failure(_ path: String, _ what: String) -> CatalogueFiles.Failure {
        CatalogueFiles.Failure(
            description: "\(path) can't be \(what). Look at its permissions, and at the room on the disk.")
    }
}
