import Catalogue
import Foundation

/// The folder that contains all mirrors. Each mirror has its own subfolder, and mirrors share no files.
public struct MirrorHome: Sendable {
    /// The path of the folder. It need not exist yet.
    public let path: String

    /// The home at a path. Nothing is created or checked.
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
            // The XDG Base Directory Specification uses `HOME`, which may differ from the home folder in the user database.
            let data = environment["XDG_DATA_HOME"] ?? "", home = environment["HOME"] ?? ""
            let base =
                data.hasPrefix("/") ? data : "\(home.hasPrefix("/") ? home : NSHomeDirectory())/.local/share"
        #endif
        return MirrorHome(path: "\(base)/mirror")
    }

    /// The names of the mirrors in this home, sorted. Empty if the home's folder doesn't exist.
    ///
    /// - Throws: ``StoreError/Code/readOnly`` if the folder can't be read.
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

    /// A folder that this user may not read would otherwise look empty.
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
    ///   beginning with a letter or digit, and not `options.json`, which is a file in the home; also for `api`, `assets`,
    ///   `login`, `status` and `sources`, of which `mirror serve` has addresses, unless such a mirror exists. `readOnly` for a
    ///   home that can't be read.
    public func mirror(_ name: String) throws -> MirrorFolder {
        if let fault = Self.fault(inReservedName: name) { throw StoreError(.invalidName, fault) }
        guard Self.isValid(name) else {
            throw StoreError(
                .invalidName,
                "A mirror's name has 1 to 128 letters, digits, dots, underscores or hyphens, and begins with a letter or digit."
            )
        }
        try checkAccess()
        let folder = MirrorFolder(path: "\(path)/\(name)", name: name)
        if Self.servedNames.contains(name.lowercased()), !folder.databaseExists {
            throw StoreError(
                .invalidName,
                "A mirror can't be called \(name): mirror serve uses addresses that begin with /\(name.lowercased()). Choose another name."
            )
        }
        return folder
    }

    /// The names of the first parts of `mirror serve`'s own addresses. A new mirror of such a name could not be served
    /// completely; one that an earlier version made is still read.
    package static let servedNames: Set<String> = ["api", "assets", "login", "status", "_session", "sources"]

    /// The path of the file with the features that are enabled for all mirrors (`mirror options`).
    package var optionsFile: String { "\(path)/\(Self.optionsName)" }

    private static let optionsName = "options.json"

    /// The error message for a mirror's name that is reserved for a file of the home; `nil` for other names.
    ///
    /// Upper and lower case aren't distinguished, because some file systems don't distinguish them.
    package static func fault(inReservedName name: String) -> String? {
        guard name.lowercased() == optionsName else { return nil }
        return
            "A mirror can't be called \(name): the folder of all mirrors has a file of that name. Choose another name."
    }

    /// Whether a mirror can have this name.
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
    /// The path of the folder.
    public let path: String
    /// The mirror's name, which is also the folder's.
    public let name: String

    /// The path of the mirror's SQLite database.
    public var database: String { "\(path)/mirror.sqlite" }
    /// The path of the HTTP cache. It may be deleted at any time.
    public var cache: String { "\(path)/cache.sqlite" }
    /// The path of the file that ``RunLock`` locks.
    public var lock: String { "\(path)/lock" }
    package var watchLock: String { "\(path)/watch.lock" }
    /// The home that contains the folder.
    package var home: MirrorHome { MirrorHome(path: String(path.dropLast(name.count + 1))) }
    /// The mirror's pictures and documents.
    public var files: FileStore { FileStore(folder: path) }
    /// The folder for an app's own files: ``FileStore/appFiles``.
    public var appFiles: String { files.appFiles }
    /// Whether the folder contains a mirror. An empty database file doesn't count: a run that was killed before it wrote
    /// anything leaves one, and the next sync starts from the beginning.
    public var exists: Bool { databaseExists && !StoreFormat.isBlank(database) }
    fileprivate var databaseExists: Bool { FileManager.default.fileExists(atPath: database) }

    private static let ownNames: Set<String> = [
        "mirror.sqlite", "cache.sqlite", "media", "lock", "watch.lock", "credentials", "app",
    ]

    /// Creates the folder if it doesn't exist. Idempotent.
    ///
    /// - Throws: ``StoreError``: `notOurs` if the folder contains unknown files and no mirror, `readOnly`, `diskFull`.
    public func prepare() throws {
        let manager = FileManager.default
        if !exists, let content = try? manager.contentsOfDirectory(atPath: path),
            content.contains(where: {
                !Self.ownNames.contains($0.replacing(#/-(wal|shm|journal)$/#, with: ""))
            })
        {
            throw StoreError(
                .notOurs,
                "\(path) contains other files and no mirror. Choose another --home, or move these files away."
            )
        }
        do {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let full = (error as NSError).code == CocoaError.fileWriteOutOfSpace.rawValue
            throw full
                ? StoreError(.diskFull, "The disk that holds \(path) is full. Free some space and run again.")
                : StoreError(
                    .readOnly, "\(path) can't be created. Check its permissions, or choose another --home.",
                    cause: error.localizedDescription)
        }
        guard manager.isWritableFile(atPath: path) else {
            throw StoreError(
                .readOnly, "\(path) can't be written. Check its permissions, or choose another --home.")
        }
    }

    /// Removes the database, cache and lock of a mirror in which nothing was ever stored.
    ///
    /// Other files stay. The folder is removed only if it is empty then.
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

    /// Checks that the folder contains a mirror's database. Nothing is created, and nothing is opened for writing.
    ///
    /// - Parameter mustHaveTables: whether to refuse a database without tables, too, which a killed run may have left.
    /// - Throws: ``StoreError``: `noSuchMirror`; `damaged` or `notOurs` if the file is not a mirror's database.
    package func checkDatabase(mustHaveTables: Bool = false) throws {
        guard databaseExists else {
            throw StoreError(
                .noSuchMirror,
                "There is no mirror called \(name) here. Make it with: mirror sync \(name) --from URL")
        }
        guard !StoreFormat.isBlank(database) else { throw StoreFormat.blank(database) }
        guard mustHaveTables else { return }
        let sideFiles = PlanningFile(self), file = ReadingFile(database)
        do {
            try file.read { try StoreFormat.check(file, mustHaveTables: true) }
        } catch {
            // Remove the `-wal` and `-shm` files that the check may have created. If that fails, the error of the check is
            // still the one to report.
            try? sideFiles.restore()
            throw StoreError.of(error, path: database)
        }
    }

    /// Opens the mirror's store. A sync or `mirror watch` may run at the same time, in this or another program.
    ///
    /// Each call opens its own connections, up to 16. A store may stay open as long as an app runs, and may be used from any
    /// thread. Close it with ``CatalogueStore/close()`` before you move or remove the mirror's folder. A long read never
    /// blocks a sync, but the write-ahead log can't be checkpointed while it runs, and grows.
    ///
    /// A mirror that was made by an earlier version is migrated if this user may write it. If this user may only read it and
    /// no program is writing, the file is opened without locks; ``CatalogueStore/isCurrent`` then reports when to open it
    /// again.
    ///
    /// - Parameters:
    ///   - editing: whether the store is for editing albums or notes (`AlbumEditor`). If so, a mirror that this user may not
    ///     write is an error at once. Default: `false`, which also opens a mirror that this user may only read.
    ///   - kinds: the kinds that the store contains. An app's own kinds come after the kinds to which they refer. The table of
    ///     a new kind is created if this user may write the mirror; otherwise that kind is left out. Default: the built-in
    ///     kinds.
    /// - Throws: ``StoreError``: `noSuchMirror`, `newerVersion`, `notOurs`, `damaged`, `readOnly`, `diskFull`.
    public func store(editing: Bool = false, kinds: Kinds = .standard) throws -> CatalogueStore {
        try checkDatabase()
        // A run that was killed while it created the database leaves one without tables. Opening it for writing completes it.
        return try CatalogueStore.open(
            at: database, readOnly: !editing && !mayWrite, kinds: kinds, waitsForCheckpoint: false)
    }
}
