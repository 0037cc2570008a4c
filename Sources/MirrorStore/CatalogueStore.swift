import Catalogue
import Foundation
import GRDB
import Synchronization

/// A mirror's database: one SQLite file with a partner's catalogue.
///
/// An app gets a store from ``MirrorFolder/store(editing:kinds:)``. It reads objects as values (``fetch(_:id:)``), searches
/// (``search(_:in:limit:)``), runs its own SQL (``reader``) and observes commits (``changes(after:every:sleep:)``).
///
/// All writes go through ``apply(_:run:)`` (objects and lists of servers and catalogues), ``finish(_:)`` (the end of a run:
/// memberships, delete guard, sweep) and the local edits of albums. Each is one transaction: a reader sees all of it or
/// nothing. The database, never the HTTP cache, decides what is current. Readers don't wait for the writer (WAL).
///
/// Inside the module, only ``read(_:)``, ``write(isServed:_:)``, ``writeDurably(isServed:_:)`` and ``bulkLoad`` access the
/// database.
///
/// | folder | contents |
/// |---|---|
/// | `Schema/` | the tables and their migrations |
/// | `Records/` | objects in the form in which they are written |
/// | `Writing/` | writing objects, parts and the change log |
/// | `Lists/` | the server's lists and memberships |
/// | `Deleter/` | mark and sweep, and the delete guard |
/// | `Upkeep/` | ghosts, pruning, the search index, since dates |
/// | `Albums/` | local edits of albums |
/// | `Loops/` | cursors of feeds of events |
/// | `Reading/` | reading objects, counts and notes |
/// | `Browsing/` | lists, filters and searches of the pages, and what visitors may see |
/// | `Digest/` | comparing the contents of two mirrors |
/// | `Files/` | files of pictures and documents |
/// | `History/`, `Restore/` | the change log, and undoing deletions |
/// | `Snapshot/` | loading and serving snapshots |
/// | `Sources/` | for catalogues that are read by a description: absences, counts of requests, the source, gathered objects |
/// | `Verifying/` | checks and repairs |
public final class CatalogueStore: Sendable {
    package let pool: any DatabaseWriter
    /// The kinds in this store.
    public let kinds: Kinds
    /// The statements by which objects of these kinds are written.
    let statements: [Kind: ObjectStatements]
    /// The path of the database's file.
    public let path: String
    let now: @Sendable () -> Date
    /// How the file is opened read-only; `nil` if this store may write.
    private let reading: ReadingFile?
    /// Whether the connections belong to another store, which closes them.
    private let sharesConnections: Bool
    /// Whether ``close()`` waits, up to 10 s, for another program that is reading or writing.
    private let waitsForCheckpoint: Bool
    /// Identifies the file that was opened.
    private let openedFile: FileIdentity?
    private let hasClosed = Atomic(false)

    init(
        pool: any DatabaseWriter, path: String, reading: ReadingFile?, now: @escaping @Sendable () -> Date,
        kinds: Kinds, waitsForCheckpoint: Bool = true, owner: CatalogueStore? = nil
    ) {
        self.waitsForCheckpoint = waitsForCheckpoint
        self.kinds = kinds
        statements = Dictionary(uniqueKeysWithValues: kinds.objects.map { ($0, ObjectStatements($0)) })
        self.reading = reading
        sharesConnections = owner != nil
        self.pool = pool
        self.path = path
        self.now = now
        openedFile = owner?.openedFile ?? FileIdentity(path)
    }

    /// A store that shares this store's connections. Closing it doesn't close them.
    package func sharingConnections() -> CatalogueStore {
        CatalogueStore(pool: pool, path: path, reading: reading, now: now, kinds: kinds, owner: self)
    }

    package var isReadOnly: Bool { reading != nil }

    /// Whether this store sees the commits of other programs.
    ///
    /// `false` only if this user may only read the file, no program was writing when the store was opened, and one has started
    /// to write since. Then open the store again.
    public var isCurrent: Bool { reading?.isCurrent ?? true }

    /// Whether ``close()`` was called.
    var isClosed: Bool { hasClosed.load(ordering: .relaxed) }

    /// Closes all connections. A second call does nothing.
    ///
    /// Later reads and writes throw ``StoreError`` with `closed`. The write-ahead log is moved into the file, so that the file
    /// alone can be copied, unless another program is reading or writing.
    ///
    /// - Throws: ``StoreError``.
    public func close() throws { try close(checkpointing: true) }

    /// - Parameter checkpointing: whether the write-ahead log is moved into the file; `false` while another program writes, which
    ///   then does it when it closes.
    package func close(checkpointing: Bool) throws {
        guard !hasClosed.exchange(true, ordering: .relaxed) else { return }
        guard !sharesConnections else { return }
        do {
            // Fails while another process reads. Then the next process that closes the database checkpoints it.
            if !isReadOnly, checkpointing { try? checkpoint() }
            try pool.close()
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    /// Moves the write-ahead log into the file.
    private func checkpoint() throws {
        try pool.writeWithoutTransaction { db in
            if !waitsForCheckpoint { try db.execute(sql: "PRAGMA busy_timeout = 0") }
            try db.checkpoint(.truncate)
        }
    }

    /// Checks that the opened file is still at its path.
    ///
    /// SQLite keeps writing to a file that was deleted or moved, and the changes are then missing at the path.
    ///
    /// - Throws: ``StoreError`` if there is no file at the path any more, or another file.
    package func checkIsInPlace() throws {
        guard !isInPlace else { return }
        throw StoreError(
            .unexpected,
            "\(path) was deleted or moved while it was written, so later changes are missing there. Put the file back, or run this again."
        )
    }

    /// Whether the file at the path is still the one that was opened.
    var isInPlace: Bool { openedFile.map { FileIdentity(path) == $0 } ?? true }

    /// The current time in the tables' format: RFC 3339, UTC, milliseconds.
    package func timestamp() -> String { Self.text(of: now()) }

    package static func text(of time: Date) -> String {
        time.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
        )
    }

    // MARK: - Access

    /// Reads in one transaction: the body sees the database at one instant, also in the reads that it calls on this thread. Inside
    /// a write, it sees that write's changes.
    package func read<T>(_ body: (Database) throws -> T) throws -> T {
        try withStoreErrors {
            try pool.unsafeReentrantRead { db in
                guard !db.isInsideTransaction else { return try body(db) }
                var result: Result<T, any Error> = .failure(StoreError.rolledBack)
                try db.inTransaction(.deferred) {
                    result = .success(try body(db))
                    return .commit
                }
                return try result.get()
            }
        }
    }

    /// Runs `body`, all of whose reads on this thread see the database at the same instant.
    package func atOneInstant<T>(_ body: () throws -> T) throws -> T { try read { _ in try body() } }

    /// Writes in one transaction, and increments the generation if anything changed.
    ///
    /// Servers compare the generation to find out whether their cached answers are still valid.
    ///
    /// - Parameter isServed: whether the change affects answers of a server; `false` leaves the generation. Default: `true`.
    func write<T>(isServed: Bool = true, _ body: (Database) throws -> T) throws -> T {
        try withStoreErrors {
            try pool.write { isServed ? try Self.countingGeneration($0, body) : try body($0) }
        }
    }

    /// Writes in one transaction that survives a power failure once this method has returned.
    ///
    /// For changes that must be stored before another system is informed of them. It waits for the disk, which then also has
    /// all earlier commits.
    ///
    /// - Parameter isServed: as in ``write(isServed:_:)``. Default: `true`.
    func writeDurably<T>(isServed: Bool = true, _ body: (Database) throws -> T) throws -> T {
        try withStoreErrors {
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                defer { try? db.execute(sql: "PRAGMA synchronous = NORMAL") }
                return isServed
                    ? try Self.countingGenerationInSavepoint(db, body) : try Self.inSavepoint(db, body)
            }
        }
    }

    /// The transaction of a bulk load, which is written in parts. Other readers see nothing of it before
    /// ``BulkLoad/commit()``.
    var bulkLoad: BulkLoad { BulkLoad(store: self) }

    struct BulkLoad {
        fileprivate let store: CatalogueStore

        /// Writes one part.
        ///
        /// - Parameter continues: whether earlier parts are not committed yet; otherwise this part begins the transaction.
        /// - Throws: ``StoreError/rolledBack`` if earlier parts should be in the transaction, but it was rolled back.
        func write<T>(continues: Bool, _ body: (Database) throws -> T) throws -> T {
            try read { db in
                if !db.isInsideTransaction {
                    guard !continues else { throw StoreError.rolledBack }
                    // 8 MB, so that memory use doesn't depend on the snapshot's size. Changed pages that don't fit are
                    // written to the write-ahead log before the commit, which costs little.
                    try db.execute(sql: "PRAGMA cache_size = -8000")
                    try db.beginTransaction(.immediate)
                }
                return try CatalogueStore.countingGenerationInSavepoint(db, body)
            }
        }

        /// Reads with the writing connection, including uncommitted changes.
        func read<T>(_ body: (Database) throws -> T) throws -> T {
            try store.withStoreErrors { try store.pool.writeWithoutTransaction(body) }
        }

        /// - Throws: ``StoreError/rolledBack`` if there is nothing to commit.
        func commit() throws {
            try read { db in
                guard db.isInsideTransaction else { throw StoreError.rolledBack }
                do {
                    try db.commit()
                } catch {
                    try? db.rollback()
                    throw error
                }
            }
        }

        /// Rolls the transaction back. If that fails, closing the database does it.
        func rollBack() {
            try? store.pool.writeWithoutTransaction { if $0.isInsideTransaction { try $0.rollback() } }
        }
    }

    private static func countingGeneration<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        let before = db.totalChangesCount
        let result = try body(db)
        if db.totalChangesCount != before {
            try db.run(
                """
                INSERT INTO meta (key, value) VALUES ('generation', 1)
                ON CONFLICT (key) DO UPDATE SET value = value + 1
                """)
        }
        return result
    }

    /// As ``countingGeneration(_:_:)``, in a savepoint of the open transaction, or in a transaction if none is open.
    private static func countingGenerationInSavepoint<T>(
        _ db: Database, _ body: (Database) throws -> T
    ) throws -> T {
        try inSavepoint(db) { try countingGeneration($0, body) }
    }

    /// Runs `body` in a savepoint of the open transaction, or in a transaction if none is open.
    private static func inSavepoint<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        var result: Result<T, any Error> = .failure(StoreError.rolledBack)
        try db.inSavepoint {
            result = .success(try body(db))
            return .commit
        }
        return try result.get()
    }

    /// Runs an access to the database, and turns its errors into ``StoreError``.
    func withStoreErrors<T>(_ body: () throws -> T) throws -> T {
        do {
            guard let reading else { return try body() }
            return try reading.read(body)
        } catch let error as DatabaseError {
            throw isClosed ? StoreError.closed(path) : StoreError.of(error, path: path)
        }
    }

    /// A number that grows with every transaction that changed served data.
    package func generation() throws -> Int { try read(Self.generation) }

    static func generation(in db: Database) throws -> Int {
        try db.number("SELECT value FROM meta WHERE key = 'generation'") ?? 0
    }
}
