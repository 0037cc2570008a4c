import Catalogue
import Foundation

/// The folder that holds all mirrors: one folder a mirror, which share nothing.
public struct MirrorHome: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// The folder that the command uses without `--home`: ``standard(option:environment:)`` with the process's environment.
    public init() { self = .standard(option: nil, environment: ProcessInfo.processInfo.environment) }

    /// `--home`, else `MIRROR_HOME`, else the platform's folder for an application's data.
    public static func standard(option: String?, environment: [String: String]) -> MirrorHome {
        if let path = option ?? environment["MIRROR_HOME"], !path.isEmpty {
            return MirrorHome(path: NSString(string: path).expandingTildeInPath)
        }
        #if os(macOS)
            let base = "\(NSHomeDirectory())/Library/Application Support"
        #else
            // As the XDG Base Directory Specification has it: by `HOME`, which need not be what the system's users say.
            let data = environment["XDG_DATA_HOME"] ?? "", own = environment["HOME"] ?? ""
            let base =
                data.hasPrefix("/") ? data : "\(own.hasPrefix("/") ? own : NSHomeDirectory())/.local/share"
        #endif
        return MirrorHome(path: "\(base)/mirror")
    }

    /// The mirrors that are here, by name, in order. Without a home folder there are none.
    public func names() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        try checkAccess()
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).filter {
                FileManager.default.fileExists(atPath: "\(path)/\($0)/mirror.sqlite")
            }.sorted()
        } catch {
            throw unreadable
        }
    }

    /// Somebody else's folder looks like one in which nothing is.
    private func checkAccess() throws {
        let manager = FileManager.default
        guard manager.fileExists(atPath: path) else { return }
        guard manager.isReadableFile(atPath: path), manager.isExecutableFile(atPath: path) else {
            throw unreadable
        }
    }

    private var unreadable: StoreError {
        StoreError(.readOnly, "\(path) can't be read. Check its permissions, or choose another --home.")
    }

    /// The folder of a mirror.
    ///
    /// - Throws: ``StoreError/Code/invalidName`` for a name that could be a path: 1–128 letters, digits, `.`, `_`, `-`,
    ///   beginning with a letter or digit, and not `options.json`, which is a file of the home's own; `readOnly` for a home
    ///   that can't be read.
    public func mirror(_ name: String) throws -> MirrorFolder {
        if let fault = Self.fault(inReservedName: name) { throw StoreError(.invalidName, fault) }
        guard Self.isValid(name) else {
            throw StoreError(
                .invalidName,
                "A mirror's name has 1 to 128 letters, digits, dots, underscores or hyphens, and begins with a letter or digit."
            )
        }
        try checkAccess()
        return MirrorFolder(path: "\(path)/\(name)", name: name)
    }

    /// The features that are switched on for all mirrors (`mirror options`).
    package var optionsFile: String { "\(path)/\(Self.optionsName)" }

    private static let optionsName = "options.json"

    /// Why a mirror can't have the name of something else that is in the home; `nil` for other names. Large and small letters
    /// are the same: they are on some disks.
    package static func fault(inReservedName name: String) -> String? {
        guard name.lowercased() == optionsName else { return nil }
        return
            "A mirror can't be called \(name): the folder that holds the mirrors has a file of that name. Choose another name."
    }

    /// Whether a mirror can be called so.
    package static func isValid(_ name: String) -> Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        return fault(inReservedName: name) == nil && (1...128).contains(name.utf8.count)
            && name.utf8.first.map(isAlphanumeric) == true
            && name.utf8.allSatisfy { isAlphanumeric($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }
}

/// The folder of one mirror: `mirror.sqlite`, `cache.sqlite`, `media`, `lock`, `watch.lock`.
public struct MirrorFolder: Sendable {
    public let path: String
    public let name: String

    public var database: String { "\(path)/mirror.sqlite" }
    public var cache: String { "\(path)/cache.sqlite" }
    public var lock: String { "\(path)/lock" }
    package var watchLock: String { "\(path)/watch.lock" }
    public var files: FileStore { FileStore(folder: path) }
    /// The folder for an app's own files: ``FileStore/appFiles``.
    public var appFiles: String { files.appFiles }
    /// Whether there is a mirror. An empty file is none: what was killed before it wrote left it, and is begun again.
    public var exists: Bool { isFileThere && !StoreFormat.isBlank(database) }
    private var isFileThere: Bool { FileManager.default.fileExists(atPath: database) }

    private static let own: Set<String> = [
        "mirror.sqlite", "cache.sqlite", "media", "lock", "watch.lock", "credentials", "app",
    ]

    /// Makes the folder where there is none.
    ///
    /// - Throws: ``StoreError``: `notOurs` if there is a folder of something else, `readOnly`, `diskFull`.
    public func prepare() throws {
        let manager = FileManager.default
        if !exists, let content = try? manager.contentsOfDirectory(atPath: path),
            content.contains(where: { !Self.own.contains($0.replacing(#/-(wal|shm|journal)$/#, with: "")) })
        {
            throw StoreError(
                .notOurs, "\(path) holds other files and no mirror. Choose another --home, or move them away."
            )
        }
        do {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let full = (error as NSError).code == CocoaError.fileWriteOutOfSpace.rawValue
            throw full
                ? StoreError(.diskFull, "The disk that holds \(path) is full. Free some space and run again.")
                : StoreError(
                    .readOnly, "\(path) can't be made. Check its permissions, or choose another --home.",
                    cause: error.localizedDescription)
        }
        guard manager.isWritableFile(atPath: path) else {
            throw StoreError(
                .readOnly, "\(path) can't be written. Check its permissions, or choose another --home.")
        }
    }

    /// Removes the files of a mirror that never got anything; what else is in the folder stays, and so the folder.
    package func removeEmpty() throws {
        let manager = FileManager.default
        let names = try manager.contentsOfDirectory(atPath: path)
        for name in names
        where name.hasPrefix("mirror.sqlite") || name.hasPrefix("cache.sqlite") || name == "lock" {
            try manager.removeItem(atPath: "\(path)/\(name)")
        }
        if try manager.contentsOfDirectory(atPath: path).isEmpty { try manager.removeItem(atPath: path) }
    }

    /// Whether this user may write the database and the files beside it.
    package var mayWrite: Bool { ReadingFile.mayWrite(database) }

    /// Makes sure that there is a mirror. Nothing is made, and nothing is opened to be written.
    ///
    /// - Parameter isWhole: whether a database without tables, which a killed run may have left, is refused, too.
    /// - Throws: ``StoreError``: `noSuchMirror`; `damaged` or `notOurs` if the file is not a mirror's database.
    package func checkDatabase(isWhole: Bool = false) throws {
        guard isFileThere else {
            throw StoreError(
                .noSuchMirror,
                "There is no mirror called \(name) here. Make it with: mirror sync \(name) --from URL")
        }
        guard !StoreFormat.isBlank(database) else { throw StoreFormat.blank(database) }
        guard isWhole else { return }
        let sideFiles = PlanningFile(self), file = ReadingFile(database)
        do {
            try file.read { try StoreFormat.check(file, mustHaveTables: true) }
        } catch {
            // SQLite's side files, which a look by it may have made, are taken away again; if that fails, too, what was found
            // out is still what there is to say.
            try? sideFiles.restore()
            throw StoreError.of(error, path: database)
        }
    }

    /// Opens the mirror's store, also beside a sync or `mirror watch`, here or in another program.
    ///
    /// Each call opens connections of its own. A store may be kept open as long as an app runs, and used from any thread; it
    /// costs up to 16 connections. Close it with ``CatalogueStore/close()`` before the mirror's folder is moved or
    /// removed. A single read that takes long keeps the write-ahead log from being folded into the file meanwhile, so that
    /// the log grows; it never blocks a sync.
    ///
    /// A mirror that an earlier version made is brought up to date where this user may write it. Where this user may only
    /// read, and no program is writing, the file is read as it is: ``CatalogueStore/isCurrent`` says when to open it again.
    ///
    /// - Parameters:
    ///   - editing: whether albums or notes are to be edited (`AlbumEditor`): then a mirror that this user may not write is an
    ///     error at once. Default: the store is for reading, and opens for a user who may only read, too.
    ///   - kinds: what it holds; an app's own kinds stand behind the kinds that they refer to. A kind that is new gets its table
    ///     where this user may write the mirror, and is left out where not. Default: the built-in kinds.
    /// - Throws: ``StoreError``: `noSuchMirror`, `newerVersion`, `notOurs`, `damaged`, `readOnly`, `diskFull`.
    public func store(editing: Bool = false, kinds: Kinds = .standard) throws -> CatalogueStore {
        try checkDatabase()
        // A run that was killed while it made the database leaves one without tables: whoever may, completes it.
        return try CatalogueStore.open(
            at: database, readOnly: !editing && !mayWrite, kinds: kinds, waitsToFold: false)
    }
}
