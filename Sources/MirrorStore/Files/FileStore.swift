import Catalogue
import Crypto
import Foundation

/// A file in the mirror's folder, named by what is in it.
public struct StoredFile: Sendable, Hashable {
    /// SHA-256 of the bytes, 64 hex digits.
    public let hash: String
    public let size: Int64
    /// Relative to the mirror's folder: `media/ab/abcd….jpg`.
    public let path: String
    /// Media type, such as `image/jpeg`.
    public let type: String?

    public init(hash: String, size: Int64, path: String, type: String?) {
        self.hash = hash
        self.size = size
        self.path = path
        self.type = type
    }
}

/// The mirror's `media` folder: files named by the SHA-256 of their bytes, so that equal ones exist once.
///
/// A file has its final name only when it is whole and on the disk. Its name gets there with those of the files around it
/// (``syncNames(of:)``), before the database says that it is here. Nothing that a server says is part of a name:
/// the hash and an extension from a fixed list are.
public struct FileStore: Sendable {
    /// The mirror's folder.
    public let folder: String
    private var disk = DiskSync.system

    public init(folder: String) { self.folder = folder }

    /// The folder inside the mirror's in which an app may keep files of its own. `mirror` neither makes nor reads it.
    ///
    /// Files elsewhere in a mirror's folder can make it unusable: a folder with unknown files and no mirror is refused.
    public var appFiles: String { "\(folder)/app" }

    package init(folder: String, disk: DiskSync) {
        self.folder = folder
        self.disk = disk
    }

    /// Where a download that has not ended is kept; the key says what it is (a canonical URL and format).
    package func partialPath(for key: String) throws -> String {
        let partial = "\(folder)/media/.partial"
        try makeFolder(partial)
        return "\(partial)/\(SHA256.hash(data: Array(key.utf8)).hexadecimal)"
    }

    /// Gives a whole, synced file its final name; the same bytes, if they are here already, give way: they may be damaged.
    /// Before a row refers to it, its name must be synced, too: ``syncNames(of:)``.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the bytes, in hex.
    ///   - type: media type, from which the extension follows.
    package func adopt(_ temporary: String, hash: String, size: Int64, type: String?) throws -> StoredFile {
        let file = StoredFile(hash: hash, size: size, path: Self.path(hash: hash, type: type), type: type)
        let final = "\(folder)/\(file.path)"
        let directory = "\(folder)/media/\(hash.prefix(2))"
        try makeFolder(directory)
        guard rename(temporary, final) == 0 else { throw failure(final) }
        return file
    }

    /// Makes the names of files survive a power cut: called once for a group of rows, before the transaction that says that
    /// these files are here.
    ///
    /// The files of a group are spread over 256 folders. Where the system syncs a whole file system in one call, that is one
    /// wait for the disk instead of one for each folder.
    package func syncNames(of files: some Sequence<StoredFile>) throws {
        let folders = Set(files.map { file in "\(folder)/media/\(file.hash.prefix(2))" })
        guard !folders.isEmpty else { return }
        let media = "\(folder)/media"
        if folders.count > Self.fewFolders, let syncFileSystem = disk.fileSystem {
            guard syncFileSystem(media) else { throw failure(media) }
            return
        }
        // `media` names the folders, of which one may be new.
        for path in folders.sorted() + [media] { try sync(path) }
    }

    /// Up to that number of folders are synced one by one: what other programs wrote to the same disk doesn't wait with them.
    private static let fewFolders = 4

    /// Stores bytes that are at hand.
    package func store(_ bytes: [UInt8], type: String?) throws -> StoredFile {
        let hash = SHA256.hash(data: bytes).hexadecimal
        let file = StoredFile(
            hash: hash, size: Int64(bytes.count), path: Self.path(hash: hash, type: type), type: type)
        // The same length is not enough: what is there may be damaged.
        let manager = FileManager.default
        if manager.contents(atPath: absolutePath(file)) == Data(bytes) { return file }
        let temporary = try partialPath(for: "store \(hash)")
        guard manager.createFile(atPath: temporary, contents: Data(bytes)) else {
            throw failure(temporary)
        }
        try sync(temporary)
        return try adopt(temporary, hash: hash, size: file.size, type: type)
    }

    /// Whether the file is where it should be, in its whole length.
    package func has(_ file: StoredFile) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: absolutePath(file))
        return (attributes?[.size] as? NSNumber)?.int64Value == file.size
    }

    /// Where the file is on this machine. It is only to be read: an equal picture of another object is the same file.
    public func absolutePath(_ file: StoredFile) -> String { "\(folder)/\(file.path)" }

    package static func path(hash: String, type: String?) -> String {
        let bare = type.map { String($0.prefix { $0 != ";" }) }
        return "media/\(hash.prefix(2))/\(hash)\(bare.flatMap { extensions[$0] } ?? "")"
    }

    /// The media type of a file of the mirror's; `nil` where its name has no extension, or another.
    package static func type(ofPath path: String) -> String? {
        extensions.first { path.hasSuffix($0.value) }?.key
    }

    private static let extensions = [
        "image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp",
        "image/tiff": ".tif",
        "application/pdf": ".pdf", "text/plain": ".txt", "text/html": ".html",
    ]

    func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw failure(path)
        }
    }

    /// Makes a rename, or a file's content, survive a crash.
    func sync(_ path: String) throws {
        guard disk.path(path) else { throw failure(path) }
    }

    func failure(_ path: String) -> StoreError {
        let code = errno
        let cause = String(cString: strerror(code))
        return switch code {
        case ENOSPC, EDQUOT:
            StoreError(
                .diskFull,
                "The disk that holds \(folder) is full. Free some space and run the command again.",
                cause: cause)
        case EACCES, EROFS, EPERM:
            StoreError(
                .readOnly, "\(path) can't be written. Check its permissions, or choose another --home.",
                cause: cause)
        default:
            StoreError(.unexpected, "\(path) could not be written: \(cause).", cause: cause)
        }
    }
}

/// How what was written gets to the disk itself. Each call returns whether that went well, else `errno` says why.
package struct DiskSync: Sendable {
    /// A file's bytes, or the names in a folder.
    package let path: @Sendable (String) -> Bool
    /// Everything on the file system that a path is on; `nil` where the system has no such call.
    package let fileSystem: (@Sendable (String) -> Bool)?

    package init(path: @escaping @Sendable (String) -> Bool, fileSystem: (@Sendable (String) -> Bool)?) {
        self.path = path
        self.fileSystem = fileSystem
    }

    package static let system: DiskSync = {
        let whole: (@Sendable (String) -> Bool)?
        if let syncfs { whole = { path in opened(path) { syncfs($0) } } } else { whole = nil }
        return DiskSync(path: { path in opened(path) { fsync($0) } }, fileSystem: whole)
    }()

    private typealias Call = @convention(c) @Sendable (Int32) -> Int32

    /// Linux's call, which Swift's headers of the C library leave out.
    private static let syncfs: Call? = {
        #if os(Linux)
            dlsym(nil, "syncfs").map { unsafeBitCast($0, to: Call.self) }
        #else
            nil
        #endif
    }()

    private static func opened(_ path: String, _ sync: (Int32) -> Int32) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let result = sync(descriptor), code = errno
        close(descriptor)
        errno = code
        return result == 0
    }
}

/// Which file is behind a path: whether it is still the same one, moved away, or another in its place.
struct FilePlace: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` where there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}
