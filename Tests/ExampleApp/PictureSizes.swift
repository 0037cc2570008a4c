import Foundation
import MirrorStore

/// Stores the sizes of pictures, so that the screen can be laid out before a picture is opened.
///
/// There is a small file for each picture. It is named after the hash of the picture's bytes, never after a name from the
/// server.
struct PictureSizes: Sendable {
    let folder: URL

    /// Reads a picture's size and stores it. It may be called again for the same picture.
    ///
    /// - Parameter path: the path of the picture's file.
    /// - Throws: ``UnreadableJPEG``, or an error of the file system.
    func add(_ file: StoredFile, at path: String) throws {
        let picture = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        guard let size = JPEGSize(jpeg: picture) else { throw UnreadableJPEG(path: path) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(size).write(to: place(of: file.hash), options: .atomic)
    }

    /// The stored size of a picture; `nil` if the picture wasn't added.
    func size(of file: StoredFile) throws -> JPEGSize? {
        let place = place(of: file.hash)
        guard FileManager.default.fileExists(atPath: place.path) else { return nil }
        return try JSONDecoder().decode(JPEGSize.self, from: Data(contentsOf: place))
    }

    /// The hashes of all pictures whose sizes are stored.
    var hashes: Set<String> {
        get throws {
            guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
            return Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }
    }

    /// Removes the size of a picture.
    func remove(_ hash: String) throws { try FileManager.default.removeItem(at: place(of: hash)) }

    private func place(of hash: String) -> URL { folder.appending(path: hash) }
}

/// Width and height of a picture, in pixels.
struct JPEGSize: Codable, Hashable {
    let width: Int
    let height: Int
}

extension JPEGSize {
    /// Reads the size from the frame header of a JPEG; `nil` if there is none.
    init?(jpeg data: Data) {
        let bytes = [UInt8](data.prefix(1 << 16))
        func number(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var next = 2
        while next + 9 <= bytes.count, bytes[next] == 0xFF {
            switch bytes[next + 1] {
            // Markers of tables, whose codes are in the range of the frame headers' codes.
            case 0xC4, 0xC8, 0xCC: break
            case 0xC0...0xCF:
                self.init(width: number(next + 7), height: number(next + 5))
                return
            default: break
            }
            next += 2 + number(next + 2)
        }
        return nil
    }
}

/// A picture's file is not a readable JPEG.
struct UnreadableJPEG: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is not a readable JPEG, so its size is unknown." }
}
