import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Opens a mirror's database; creates or migrates it if needed.
    ///
    /// - Parameters:
    ///   - readOnly: for a user who may not write the file; see ``ReadingFile``. Default: `false`.
    ///   - kinds: the kinds in the mirror: the built-in ones and an app's own. A kind must follow the kinds that it refers to.
    ///     A table is created for each new kind. A store that is opened read-only leaves out kinds without a table.
    ///   - waitsForCheckpoint: whether ``close()`` waits for another program that is reading or writing. Default: `true`.
    ///   - now: the clock for stored times.
    /// - Throws: ``StoreError``: `newerVersion`, `notOurs`, `damaged`, `readOnly`, `diskFull`.
    package static func open(
        at path: String, readOnly: Bool = false, kinds: Kinds = .standard, waitsForCheckpoint: Bool = true,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CatalogueStore {
        guard readOnly else {
            return try open(
                at: path, reading: nil, kinds: kinds, waitsForCheckpoint: waitsForCheckpoint, now: now)
        }
        var tries = 0
        while true {
            let file = ReadingFile(path)
            do {
                return try open(
                    at: path, reading: file, kinds: kinds, waitsForCheckpoint: waitsForCheckpoint, now: now)
            } catch is StoreError where file.isOvertaken && tries < 10 {
                // Another program started or stopped writing just now, which changes how the file has to be opened.
                tries += 1
            } catch let error as StoreError where error.code == .readOnly {
                throw StoreError.unreadable(path, error)
            }
        }
    }

    /// - Parameter file: how the file is opened read-only; `nil` for reading and writing.
    static func open(
        at path: String, reading file: ReadingFile?, kinds: Kinds = .standard,
        waitsForCheckpoint: Bool = true,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CatalogueStore {
        let readOnly = file != nil
        do {
            var configuration = Configuration()
            configuration.readonly = readOnly
            configuration.busyMode = .timeout(10)
            configuration.label = "mirror"
            // A server uses eight threads for long reads, and short reads must not wait for these. GRDB opens connections
            // only when they are needed: a sync uses one or two.
            configuration.maximumReaderCount = 16
            // All parts of a snapshot share one transaction (``BulkLoad``).
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { db in
                if !readOnly {
                    // Has an effect only before the first table is created. Twice SQLite's default: with thousands of rows
                    // of 1 kB, it halves the system calls and the pages that successive transactions write again.
                    try db.execute(sql: "PRAGMA page_size = 8192")
                    try db.execute(sql: "PRAGMA synchronous = NORMAL")
                    // 64 MiB: an ordinary first sync needs no checkpoint until the store is closed.
                    try db.execute(sql: "PRAGMA wal_autocheckpoint = 8192")
                }
                if !readOnly, !db.configuration.readonly {
                    for function in IndexFunctions.all { db.add(function: function) }
                }
                // The writer's cache holds the indexes that a first sync fills; a reader's those of a page. A page of 500,000
                // artworks reads 6 MB.
                let cache = readOnly || db.configuration.readonly ? 16_000 : 32_000
                try db.execute(sql: "PRAGMA cache_size = -\(cache)")
            }
            guard let file else {
                // SQLite creates files that the group can't write, even if the umask allows it. So a new file is created
                // before SQLite opens it. An existing file must not be touched: closing its descriptor would release the
                // locks of SQLite's connections in this process.
                if access("\(path)-wal", F_OK) != 0 {
                    let created = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                    if created >= 0 { Foundation.close(created) }
                }
                try StoreFormat.check(ReadingFile(path))
                let pool = try Self.pool(path, configuration)
                try pool.read { try StoreFormat.check($0, path, isReadOnly: false) }
                if try !pool.read({ try Schema.isComplete($0, kinds) }) {
                    try Schema.prepare(pool, kinds: kinds)
                }
                let store = CatalogueStore(
                    pool: pool, path: path, reading: nil, now: now, kinds: kinds,
                    waitsForCheckpoint: waitsForCheckpoint)
                try store.rebuildOutdatedIndex()
                return store
            }
            return try file.read {
                try StoreFormat.check(file)
                let pool = try Self.pool(file.name, configuration)
                let absent = try pool.read { db in
                    try StoreFormat.check(db, path, isReadOnly: true)
                    return try Schema.kindsWithoutTable(kinds, in: db)
                }
                return CatalogueStore(
                    pool: pool, path: path, reading: file, now: now,
                    kinds: absent.isEmpty ? kinds : Kinds(kinds.all.filter { !absent.contains($0) }),
                    waitsForCheckpoint: waitsForCheckpoint)
            }
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    /// Opens the pool; retries for a second while the database is busy.
    ///
    /// When several processes create the same file, only one of them can switch it to a write-ahead log. SQLite fails the
    /// others immediately, without using the busy timeout. An attempt that failed after the busy timeout isn't repeated.
    private static func pool(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
        let end = ContinuousClock.now + .seconds(1)
        while true {
            do {
                return try DatabasePool(path: path, configuration: configuration)
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end
            {
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }
}
