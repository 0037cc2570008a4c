import Foundation
import PartnerAPI

/// The files of a JSON Lines catalogue: a folder, or texts that are built in.
public enum CatalogueSource: Sendable {
    case folder(String)
    case embedded([String: String])

    /// `nil` if there is no such file.
    func contents(of file: String) throws -> Data? {
        switch self {
        case .embedded(let files):
            return files[file].map { Data($0.utf8) }
        case .folder(let path):
            let whole = "\(path)/\(file)"
            guard FileManager.default.fileExists(atPath: whole) else { return nil }
            do {
                return try Data(contentsOf: URL(fileURLWithPath: whole), options: .mappedIfSafe)
            } catch {
                throw SyncError(.catalogue, "\(whole) can't be read. Check its permissions.", cause: error)
            }
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// `partner.json`.
    ///
    /// - Throws: ``SyncError/Code/catalogue`` if this is no catalogue.
    public func partner() throws -> JSONObject {
        guard let data = try contents(of: "partner.json") else {
            throw SyncError(
                .catalogue,
                "There is no partner.json here, so this is no catalogue. Name the folder that holds it.")
        }
        guard
            case .object(let object)? = try? JSONValue(
                parsing: Array(data.starts(with: Self.byteOrderMark) ? data.dropFirst(3) : data)),
            object["id"]?.idText != nil
        else {
            throw SyncError(
                .catalogue, "partner.json is no JSON object with a usable id. Mend it and import again.")
        }
        return object
    }

    /// The objects of a file, one a line; blank lines are passed over.
    ///
    /// - Returns: `false` if there is no such file.
    /// - Throws: ``SyncError/Code/catalogue`` with the line's number.
    package func lines(of file: String, _ body: (JSONObject, _ line: Int) throws -> Void) throws -> Bool {
        guard let data = try contents(of: file) else { return false }
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            // A byte order mark is none of the data.
            var start = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0, number = 0
            while start < bytes.count {
                let end = Self.endOfLine(in: bytes, from: start)
                number += 1
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                guard line.contains(where: { $0 > 0x20 }) else { continue }
                do {
                    guard case .object(let object) = try JSONValue(parsing: line),
                        let id = object["id"]?.idText,
                        !id.utf8.contains(0)
                    else {
                        throw SyncError(
                            .catalogue, "\(file), line \(number), is no JSON object with a usable id.")
                    }
                    try body(object, number)
                } catch let error as JSONError {
                    throw SyncError(
                        .catalogue,
                        "\(file), line \(number), is not JSON: \(error). Mend it and import again.",
                        cause: error)
                }
            }
        }
        return true
    }

    /// The place of the next newline, or the end: by the system's own search, for files of many megabytes.
    private static func endOfLine(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }
}
