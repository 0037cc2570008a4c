import Catalogue
import Foundation
import MirrorStore

/// The files of a JSON Lines catalogue: a folder, or texts that are built in.
public enum CatalogueFiles: Sendable {
    case folder(String)
    case embedded([String: String])

    /// `partner.json`.
    ///
    /// - Throws: ``SyncError/Code/catalogue`` if this is no catalogue.
    public func partner() throws -> JSONObject {
        guard let object = try object(of: "partner.json") else {
            let place = if case .folder(let path) = self { path } else { "It" }
            throw SyncError(
                .catalogue,
                "\(place) has no partner.json, so it is no catalogue. Name the folder that holds one.")
        }
        return object
    }

    /// `user.json`: the user as the API answers `GET /me`; `nil` for a catalogue without that file.
    ///
    /// - Throws: ``SyncError/Code/catalogue`` if the file holds something else.
    package func user() throws -> JSONObject? { try object(of: Self.userFile) }

    static let userFile = "user.json"

    /// The one object of a file; `nil` if there is no such file.
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
                .catalogue, "\(file) is no JSON object with a usable id. Mend it and import again.")
        }
        return object
    }

    /// The objects of a file, one a line; blank lines are passed over.
    ///
    /// - Returns: the lines that are JSON and no object with a usable id; `nil` if there is no such file.
    /// - Throws: ``SyncError/Code/catalogue`` with the number of a line that is not JSON.
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
                    "\(file), line \(number), is not JSON: \(error) Mend it and import again.",
                    cause: error)
            }
        }
        return exists ? unusable : nil
    }

    // MARK: - Reading

    /// Hands out the lines of a file without their ends, one after the other.
    ///
    /// - Returns: `false` if there is no such file.
    private func eachLine(of file: String, _ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        switch self {
        case .embedded(let files):
            guard let text = files[file] else { return false }
            for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                try Array(line).withUnsafeBytes(take)
            }
            return true
        case .folder(let path):
            let whole = "\(path)/\(file)"
            guard FileManager.default.fileExists(atPath: whole) else { return false }
            guard let stream = fopen(whole, "r") else { throw Self.unreadable(whole) }
            defer { fclose(stream) }
            // Line by line: it may be larger than the memory.
            var line: UnsafeMutablePointer<CChar>?, capacity = 0, isFirst = true
            defer { free(line) }
            while true {
                let count = getline(&line, &capacity, stream)
                guard count > 0 else { break }
                var bytes = UnsafeRawBufferPointer(start: line, count: count)
                if bytes.last == UInt8(ascii: "\n") { bytes = .init(rebasing: bytes.dropLast()) }
                // A byte order mark is none of the data.
                if isFirst, ByteOrderMark.begins(bytes) {
                    bytes = .init(rebasing: bytes.dropFirst(ByteOrderMark.length))
                }
                isFirst = false
                try take(bytes)
            }
            guard ferror(stream) == 0 else { throw Self.unreadable(whole) }
            return true
        }
    }

    private static func unreadable(_ path: String) -> SyncError {
        SyncError(
            .catalogue, "\(path) can't be read. Check its permissions.",
            cause: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
}

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
