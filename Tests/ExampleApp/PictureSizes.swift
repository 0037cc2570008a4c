import Foundation
import MirrorStore

/// The sizes of pictures in pixels, so that the screen can be laid out before a picture is opened.
///
/// A small file for each, called like the hash of the picture's bytes: no name comes from the server.
struct PictureSizes: Sendable {
    let folder: URL

    /// Reads the size of a picture, and keeps it.
    ///
    /// - Parameter path: where the picture's file is.
    /// - Throws: ``NoJPEG``, or an error of the file system.
    func add(_ file: StoredFile, at path: String) throws {
        let picture = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        guard let size = PixelSize(jpeg: picture) else { throw NoJPEG(path: path) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(size).write(to: place(of: file.hash), options: .atomic)
    }

    /// `nil` for a picture that wasn't added.
    func size(of file: StoredFile) throws -> PixelSize? {
        let place = place(of: file.hash)
        guard FileManager.default.fileExists(atPath: place.path) else { return nil }
        return try JSONDecoder().decode(PixelSize.self, from: Data(contentsOf: place))
    }

    /// The hashes of all pictures that were added.
    var hashes: Set<String> {
        get throws {
            guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
            return Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }
    }

    func remove(_ hash: String) throws { try FileManager.default.removeItem(at: place(of: hash)) }

    private func place(of hash: String) -> URL { folder.appending(path: hash) }
}

/// Width and height of a picture.
struct PixelSize: Codable, Hashable {
    let width: Int
    let height: Int
}

extension PixelSize {
    /// Read from the frame header of a JPEG; `nil` if there is none.
    init?(jpeg data: Data) {
        let bytes = [UInt8](data.prefix(1 << 16))
        func number(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var next = 2
        while next + 9 <= bytes.count, bytes[next] == 0xFF {
            switch bytes[next + 1] {
            // Tables, which have codes between those of frames.
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

/// A picture's file that isn't one.
struct NoJPEG: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is no JPEG that can be read, so its size isn't known." }
}
