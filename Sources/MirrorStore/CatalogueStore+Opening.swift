import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Opens a mirror's database, making or migrating it where needed.
    ///
    /// - Parameters:
    ///   - readOnly: for a user who may not write it; see ``ReadingFile``.
    ///   - kinds: what it holds: the built-in kinds and those of an app, behind the kinds that they refer to. A kind that is new
    ///     gets its table. A mirror that may only be read holds those for which it has tables.
    ///   - waitsToFold: whether ``close()`` waits for another program that is just reading or writing.
    ///   - now: the clock for times that are written down.
    /// - Throws: ``StoreError``: `newerVersion`, `notOurs`, `damaged`, `readOnly`, `diskFull`.
    package static func open(
        at path: String, readOnly: Bool = false, kinds: Kinds = .standard, waitsToFold: Bool = true,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CatalogueStore {
        guard readOnly else {
            return try open(at: path, reading: nil, kinds: kinds, waitsToFold: waitsToFold, now: now)
        }
        var tries = 0
        while true {
            let file = ReadingFile(path)
            do {
                return try open(
                    at: path, reading: file, kinds: kinds, waitsToFold: waitsToFold, now: now)
            } catch is StoreError where file.isOvertaken && tries < 10 {
                // Somebody began, or ended, just now: from here on the file is opened in another way.
                tries += 1
            } catch let error as StoreError where error.code == .readOnly {
                throw StoreError.unreadable(path, error)
            }
        }
    }

    /// - Parameter file: how it is opened for reading alone; `nil` for writing, too.
    static func open(
        at path: String, reading file: ReadingFile?, kinds: Kinds = .standard, waitsToFold: Bool = true,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CatalogueStore {
        let readOnly = file != nil
        do {
            var configuration = Configuration()
            configuration.readonly = readOnly
            configuration.busyMode = .timeout(10)
            configuration.label = "mirror"
            // A server has eight threads for long reads, for which short ones never wait. They are opened when they are
            // needed: a sync has one or two.
            configuration.maximumReaderCount = 16
            // Parts of a snapshot share one (``BulkLoad``).
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { db in
                if !readOnly {
                    // Before the first table, or it has no effect. Twice SQLite's default: half the calls to the kernel, and
                    // half the pages that two transactions both write, where thousands of rows of 1 kB are stored.
                    try db.execute(sql: "PRAGMA page_size = 8192")
                    try db.execute(sql: "PRAGMA synchronous = NORMAL")
                    // 64 MiB: an ordinary first sync needs no checkpoint before the store is closed.
                    try db.execute(sql: "PRAGMA wal_autocheckpoint = 8192")
                }
                // The writer's holds the indexes that a first sync fills; of a store that is written, others read little.
                let cache = readOnly ? 16_000 : db.configuration.readonly ? 8_000 : 32_000
                try db.execute(sql: "PRAGMA cache_size = -\(cache)")
            }
            guard let file else {
                // SQLite makes a database that a group can't write, even if the umask allows it, and the files beside it too. Only
                // where there is none: to close a descriptor of one that is open would end its locks.
                if access("\(path)-wal", F_OK) != 0 {
                    let made = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                    if made >= 0 { Foundation.close(made) }
                }
                try StoreFormat.check(ReadingFile(path))
                let pool = try Self.pool(path, configuration)
                try pool.read { try StoreFormat.check($0, path, isReadOnly: false) }
                if try !pool.read({ try Schema.isComplete($0, kinds) }) {
                    try Schema.prepare(pool, kinds: kinds)
                }
                return CatalogueStore(
                    pool: pool, path: path, reading: nil, now: now, kinds: kinds, waitsToFold: waitsToFold)
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
                    waitsToFold: waitsToFold)
            }
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    /// Where several make the same file, SQLite refuses all but one the change to a write-ahead log at once: as a reader
    /// that wants to write, which it never lets wait. So it is asked again, for a second; a refusal after a wait stands.
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
