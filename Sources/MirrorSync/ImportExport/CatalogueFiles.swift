import Catalogue
import Foundation
import MirrorStore

/// The files of a JSON Lines catalogue, in a folder or in memory.
public enum CatalogueFiles: Sendable {
    /// The path of a folder.
    case folder(String)
    /// Texts by file name.
    case embedded([String: String])

    /// The partner, from `partner.json`.
    ///
    /// - Throws: ``SyncError/Code/catalogue`` if the file is missing or invalid.
    public func partner() throws -> JSONObject {
        guard let object = try object(of: "partner.json") else {
            let source = if case .folder(let path) = self { path } else { "It" }
            throw SyncError(
                .catalogue,
                "\(source) has no partner.json, so it is no catalogue. Name the folder of a catalogue.")
        }
        return object
    }

    /// The user, from `user.json`, in the form of the API's answer to `GET /me`; `nil` for a catalogue without that file.
    ///
    /// - Throws: ``SyncError/Code/catalogue`` if the file is invalid.
    package func user() throws -> JSONObject? { try object(of: Self.userFile) }

    static let userFile = "user.json"

    /// The object of a file that has exactly one; `nil` if the file doesn't exist.
    private func object(of file: String) throws -> JSONObject? {
        var text: [UInt8] = []
        let exists = try eachLine(of: file) {
            text.append(contentsOf: $0)
            text.append(UInt8(ascii: "\n"))
        }
        guard exists else { return nil }
        guard case .object(let object)? = try? JSONValue(parsing: text), object["id"]?.idText != nil
        else {
            throw SyncError(
                .catalogue, "\(file) is no JSON object with a usable id. Correct it and import again.")
        }
        return object
    }

    /// Calls `body` with each object of a file and its line number. Each line is an object; blank lines are skipped.
    ///
    /// - Returns: the lines that are JSON but no object with a usable id; `nil` if the file doesn't exist.
    /// - Throws: ``SyncError/Code/catalogue`` with the number of a line that is not JSON; the errors of `body`.
    package func lines(
        of file: String, _ body: (JSONObject, _ line: Int) throws -> Void
    ) throws -> UnusableElements? {
        var number = 0, unusable = UnusableElements()
        let exists = try eachLine(of: file) { line in
            number += 1
            guard line.contains(where: { $0 > 0x20 }) else { return }
            do {
                let value = try JSONValue(parsing: line)
                guard case .object(let object) = value, (try? ListEntry.id(of: value)) != nil else {
                    return unusable.note(value, at: "line \(number)")
                }
                try body(object, number)
            } catch let error as JSONError {
                throw SyncError(
                    .catalogue,
                    "\(file), line \(number), is not JSON: \(error) Correct it and import again.",
                    cause: error)
            }
        }
        return exists ? unusable : nil
    }

    // MARK: - Reading

    /// Calls `take` with each line of a file, without its line ending.
    ///
    /// - Returns: `false` if the file doesn't exist.
    private func eachLine(of file: String, _ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        switch self {
        case .embedded(let files):
            guard let text = files[file] else { return false }
            for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                try Array(line).withUnsafeBytes(take)
            }
            return true
        case .folder(let path):
            let fullPath = "\(path)/\(file)"
            guard FileManager.default.fileExists(atPath: fullPath) else { return false }
            guard let stream = fopen(fullPath, "r") else { throw Self.unreadable(fullPath) }
            defer { fclose(stream) }
            // Read line by line, because the file may not fit into memory.
            var line: UnsafeMutablePointer<CChar>?, capacity = 0, isFirst = true
            defer { free(line) }
            while true {
                let count = getline(&line, &capacity, stream)
                guard count > 0 else { break }
                var bytes = UnsafeRawBufferPointer(start: line, count: count)
                if bytes.last == UInt8(ascii: "\n") { bytes = .init(rebasing: bytes.dropLast()) }
                // A byte order mark is not part of the data.
                if isFirst, ByteOrderMark.begins(bytes) {
                    bytes = .init(rebasing: bytes.dropFirst(ByteOrderMark.length))
                }
                isFirst = false
                try take(bytes)
            }
            guard ferror(stream) == 0 else { throw Self.unreadable(fullPath) }
            return true
        }
    }

    private static func unreadable(_ path: String) -> SyncError {
        SyncError(
            .catalogue, "\(path) can't be read. Check its permissions.",
            cause: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
}

/// A text file that is written atomically, line by line.
struct LineFile {
    let path: String
    var ending = "\n"
    var byteOrderMark = false

    private var temporary: String { "\(path).part" }

    /// Removes the file, and the temporary file of an interrupted export.
    func remove() throws {
        for path in [temporary, path] where unlink(path) != 0 && errno != ENOENT {
            throw StoreError(
                .readOnly,
                "\(path) can't be removed. Check its permissions, or choose another folder with --to.")
        }
    }

    /// Writes a temporary file, then renames it.
    ///
    /// - Parameter produce: called once, with a function that appends a line.
    /// - Throws: ``StoreError``; the errors of `produce`; `CancellationError`. The former file then stays.
    func write(_ produce: ((String) throws -> Void) throws -> Void) throws {
        guard FileManager.default.createFile(atPath: temporary, contents: nil),
            let handle = FileHandle(forWritingAtPath: temporary)
        else {
            throw StoreError(
                .readOnly,
                "\(path) can't be written. Check its permissions, or choose another folder with --to.")
        }
        // It no longer exists if the file was renamed.
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
                .diskFull,
                "\(path) could not be written completely. Check the disk's free space and run again.",
                cause: "\(error)")
        }
    }
}
