import Catalogue
import Crypto
import Foundation

/// A file in the mirror's folder, named by the digest of its content.
public struct StoredFile: Sendable, Hashable {
    /// SHA-256 of the bytes, 64 hex digits.
    public let hash: String
    /// Size in bytes.
    public let size: Int64
    /// Relative to the mirror's folder: `media/ab/abcd….jpg`.
    public let path: String
    /// Media type, such as `image/jpeg`; `nil` if unknown.
    public let type: String?

    /// Makes a value that describes a file. The disk isn't accessed.
    public init(hash: String, size: Int64, path: String, type: String?) {
        self.hash = hash
        self.size = size
        self.path = path
        self.type = type
    }
}

/// The mirror's `media` folder. Files are named by the SHA-256 of their bytes, so equal files are stored once.
///
/// A file gets its final name only when it is complete and synced to the disk. The names of a group of files are synced together
/// (``syncNames(of:)``), before rows in the database refer to them. A name consists of the digest and an extension from a
/// fixed list; it contains no text from a server.
public struct FileStore: Sendable {
    /// The path of the mirror's folder.
    public let folder: String
    private var disk = DiskSync.system

    /// The files of the mirror in a folder. Nothing is created or checked.
    public init(folder: String) { self.folder = folder }

    /// The path of the subfolder in which an app may keep its own files. `mirror` neither creates nor reads it.
    ///
    /// Don't put files elsewhere in the mirror's folder: a folder with unknown files and no database is refused.
    public var appFiles: String { "\(folder)/app" }

    package init(folder: String, disk: DiskSync) {
        self.folder = folder
        self.disk = disk
    }

    /// The path of the temporary file of a download. Creates its folder.
    ///
    /// - Parameter key: identifies the download: a canonical URL and format.
    package func partialPath(for key: String) throws -> String {
        let partial = "\(folder)/media/.partial"
        try makeFolder(partial)
        return "\(partial)/\(SHA256.hash(data: Array(key.utf8)).hexadecimal)"
    }

    /// Gives a complete, synced file its final name. It replaces a stored file of that name, which may be damaged.
    ///
    /// Before a row refers to the file, its name must be synced, too: ``syncNames(of:)``.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the bytes, in hex.
    ///   - type: media type, which determines the extension.
    package func adopt(_ temporary: String, hash: String, size: Int64, type: String?) throws -> StoredFile {
        let file = StoredFile(hash: hash, size: size, path: Self.path(hash: hash, type: type), type: type)
        let final = "\(folder)/\(file.path)"
        let directory = "\(folder)/media/\(hash.prefix(2))"
        try makeFolder(directory)
        guard rename(temporary, final) == 0 else { throw failure(final) }
        return file
    }

    /// Syncs the names of a group of files to the disk. Call it before the transaction with the rows that refer to them.
    ///
    /// The files of a group are in up to 256 folders. On systems that can sync a whole file system in one call, this waits for
    /// the disk once instead of once per folder.
    package func syncNames(of files: some Sequence<StoredFile>) throws {
        let folders = Set(files.map { file in "\(folder)/media/\(file.hash.prefix(2))" })
        guard !folders.isEmpty else { return }
        let media = "\(folder)/media"
        if folders.count > Self.fewFolders, let syncFileSystem = disk.fileSystem {
            guard syncFileSystem(media) else { throw failure(media) }
            return
        }
        // `media` is synced, too, because one of its folders may be new.
        for path in folders.sorted() + [media] { try sync(path) }
    }

    /// Up to this number of folders are synced one by one, which doesn't wait for the data of other programs.
    private static let fewFolders = 4

    /// Stores bytes that are in memory. Idempotent.
    package func store(_ bytes: [UInt8], type: String?) throws -> StoredFile {
        let hash = SHA256.hash(data: bytes).hexadecimal
        let file = StoredFile(
            hash: hash, size: Int64(bytes.count), path: Self.path(hash: hash, type: type), type: type)
        // Compare the bytes, not only their number: the stored file may be damaged.
        let manager = FileManager.default
        if manager.contents(atPath: absolutePath(file)) == Data(bytes) { return file }
        let temporary = try partialPath(for: "store \(hash)")
        guard manager.createFile(atPath: temporary, contents: Data(bytes)) else {
            throw failure(temporary)
        }
        try sync(temporary)
        return try adopt(temporary, hash: hash, size: file.size, type: type)
    }

    /// Whether the file exists at its path with the expected size. The content isn't checked.
    package func has(_ file: StoredFile) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: absolutePath(file))
        return (attributes?[.size] as? NSNumber)?.int64Value == file.size
    }

    /// The absolute path of the file. Don't change the file: equal pictures of other objects share it.
    public func absolutePath(_ file: StoredFile) -> String { "\(folder)/\(file.path)" }

    package static func path(hash: String, type: String?) -> String {
        let bare = type.map { String($0.prefix { $0 != ";" }) }
        return "media/\(hash.prefix(2))/\(hash)\(bare.flatMap { extensions[$0] } ?? "")"
    }

    /// The media type that belongs to a path's extension; `nil` if there is no known extension.
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

    /// Syncs a file's content, or the names in a folder, to the disk.
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

/// Syncs written data to the disk. Each function returns whether it succeeded; if not, `errno` is set.
package struct DiskSync: Sendable {
    /// Syncs a file's bytes, or the names in a folder.
    package let path: @Sendable (String) -> Bool
    /// Syncs the whole file system of a path; `nil` if the operating system has no such call.
    package let fileSystem: (@Sendable (String) -> Bool)?

    package init(path: @escaping @Sendable (String) -> Bool, fileSystem: (@Sendable (String) -> Bool)?) {
        self.path = path
        self.fileSystem = fileSystem
    }

    package static let system: DiskSync = {
        let fileSystem: (@Sendable (String) -> Bool)?
        if let syncfs { fileSystem = { path in opened(path) { syncfs($0) } } } else { fileSystem = nil }
        return DiskSync(path: { path in opened(path) { fsync($0) } }, fileSystem: fileSystem)
    }()

    private typealias SyncFunction = @convention(c) @Sendable (Int32) -> Int32

    /// Linux's `syncfs`, which Swift's `Glibc` module doesn't declare.
    private static let syncfs: SyncFunction? = {
        #if os(Linux)
            dlsym(nil, "syncfs").map { unsafeBitCast($0, to: SyncFunction.self) }
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

/// The identity of the file at a path (device and inode), to detect that it was moved or replaced.
struct FileIdentity: Sendable, Hashable {
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
