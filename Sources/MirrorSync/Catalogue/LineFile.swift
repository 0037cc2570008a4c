import Catalogue
import Foundation
import MirrorStore

/// A text file that is written whole or not at all.
struct LineFile {
    let path: String
    var ending = "\n"
    var byteOrderMark = false

    private var temporary: String { "\(path).part" }

    /// Removes the file, and what an interrupted export left of it.
    func remove() throws {
        for path in [temporary, path] where unlink(path) != 0 && errno != ENOENT {
            throw StoreError(
                .readOnly, "\(path) can't be removed. Check its permissions, or choose another --to.")
        }
    }

    func write(_ lines: [String]) throws {
        try write { line in try lines.forEach(line) }
    }

    /// - Parameter produce: is handed what takes in a line.
    func write(_ produce: ((String) throws -> Void) throws -> Void) throws {
        guard FileManager.default.createFile(atPath: temporary, contents: nil),
            let handle = FileHandle(forWritingAtPath: temporary)
        else {
            throw StoreError(
                .readOnly, "\(path) can't be written. Check its permissions, or choose another --to.")
        }
        // Gone already if all went well.
        defer { unlink(temporary) }
        do {
            var buffer = byteOrderMark ? Data(ByteOrderMark.bytes) : Data()
            try produce { line in
                try Task.checkCancellation()
                buffer.append(contentsOf: line.utf8)
                buffer.append(contentsOf: ending.utf8)
                guard buffer.count > 1 << 20 else { return }
                try handle.write(contentsOf: buffer)
                buffer.removeAll(keepingCapacity: true)
            }
            try handle.write(contentsOf: buffer)
            try handle.synchronize()
            try handle.close()
            guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch let error as CocoaError {
            throw StoreError(
                .diskFull, "\(path) could not be written whole. Check the disk's free space and run again.",
                cause: "\(error)")
        }
    }
}
