import Catalogue
import Foundation
import GRDB
import Synchronization

/// A mirror's database: one SQLite file in which a partner's catalogue is kept.
///
/// An app gets it from ``MirrorFolder/store(editing:kinds:)``, and reads objects as values (``fetch(_:id:)``), searches
/// (``search(_:in:limit:)``), asks by SQL of its own (``reader``), and hears of what is committed (``changes(after:every:sleep:)``).
///
/// All writes go through ``apply(_:run:)`` (what servers and catalogues say), ``finish(_:)`` (the end of a run: memberships,
/// guard, sweep) and the local edits of albums. Each is one transaction, so that a reader sees all of it or nothing.
/// What is current is decided by what is stored here, never by the HTTP cache. Readers work beside the writer (WAL).
/// Within the module, the database is reached by ``read(_:)``, ``write(isServed:_:)``, ``writeDurably(_:)`` and
/// ``bulkLoad``, and in no other way.
///
/// - ``Schema`` says what the tables are; `Records/` what goes in; `Writing/` how; `Lists/` what the server's lists
///   said; `Deleter/` what may be removed; `Upkeep/` what is requested again, pruned and searched; `Albums/` what is
///   edited here; `Notes/` what people write; `Loops/` how far feeds of events are known; `Reading/` what comes out; `Digest/` what proves that two hold the same; `Files/` where
///   bytes are.
public final class CatalogueStore: Sendable {
    package let pool: any DatabaseWriter
    /// The kinds that it holds.
    public let kinds: Kinds
    /// The statements by which objects of these kinds are written.
    let statements: [Kind: ObjectStatements]
    public let path: String
    let now: @Sendable () -> Date
    /// How the file is opened, where that is for reading alone.
    private let reading: ReadingFile?
    /// Whether the connections are another's.
    private let isLent: Bool
    /// Whether ``close()`` waits, up to 10 s, for another program that is just reading or writing.
    private let waitsToFold: Bool
    private let place: FilePlace?
    private let hasClosed = Atomic(false)

    init(
        pool: any DatabaseWriter, path: String, reading: ReadingFile?, now: @escaping @Sendable () -> Date,
        kinds: Kinds, waitsToFold: Bool = true, lender: CatalogueStore? = nil
    ) {
        self.waitsToFold = waitsToFold
        self.kinds = kinds
        statements = Dictionary(uniqueKeysWithValues: kinds.objects.map { ($0, ObjectStatements($0)) })
        self.reading = reading
        isLent = lender != nil
        self.pool = pool
        self.path = path
        self.now = now
        place = lender?.place ?? FilePlace(path)
    }

    /// The same database by the same connections, for who closes what it was given: to close it ends none of them.
    package func lent() -> CatalogueStore {
        CatalogueStore(pool: pool, path: path, reading: reading, now: now, kinds: kinds, lender: self)
    }

    package var isReadOnly: Bool { reading != nil }

    /// Whether what others commit is seen.
    ///
    /// `false` only for a store that was opened by a user who may only read, while no program was writing, and a program has
    /// begun to write since: then it has to be opened again.
    public var isCurrent: Bool { reading?.isCurrent ?? true }

    /// Whether ``close()`` was called.
    var isClosed: Bool { hasClosed.load(ordering: .relaxed) }

    /// Ends all connections. What is read or written afterwards throws ``StoreError`` with `closed`; a second call does nothing.
    ///
    /// The write-ahead log is folded into the file, so that the file alone can be copied, unless another program is just
    /// reading or writing.
    public func close() throws { try close(folding: true) }

    /// - Parameter folding: `false` beside another program that writes: then the last to close folds the log in.
    package func close(folding: Bool) throws {
        guard !hasClosed.exchange(true, ordering: .relaxed) else { return }
        guard !isLent else { return }
        do {
            // Another process that reads keeps the log; then the next to close folds it in.
            if !isReadOnly, folding { try? fold() }
            try pool.close()
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    private func fold() throws {
        try pool.writeWithoutTransaction { db in
            if !waitsToFold { try db.execute(sql: "PRAGMA busy_timeout = 0") }
            try db.checkpoint(.truncate)
        }
    }

    /// Makes sure that what was written is where it will be looked for: a file that was deleted or moved meanwhile is written
    /// to all the same until it is closed.
    ///
    /// - Throws: ``StoreError`` if there is no file at the path any more, or another.
    package func checkPlace() throws {
        guard !isInPlace else { return }
        throw StoreError(
            .unexpected,
            "\(path) was deleted or moved while it was written, and what came since is not in its place. Put it back or run this again."
        )
    }

    /// Whether the file at the path is still the one that was opened.
    var isInPlace: Bool { place.map { FilePlace(path) == $0 } ?? true }

    /// The time as it is written in tables: RFC 3339, UTC, milliseconds.
    package func timestamp() -> String { Self.text(of: now()) }

    package static func text(of time: Date) -> String {
        time.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
        )
    }

    // MARK: - Access

    /// One transaction that reads: the body sees the database at one instant.
    package func read<T>(_ body: (Database) throws -> T) throws -> T { try mapped { try pool.read(body) } }

    /// One transaction. The generation, by which servers know that what they hold is still true, moves on with it.
    ///
    /// - Parameter isServed: `false` for what changes nothing of what is served: then the generation stays.
    func write<T>(isServed: Bool = true, _ body: (Database) throws -> T) throws -> T {
        try mapped { try pool.write { isServed ? try Self.counted($0, body) : try body($0) } }
    }

    /// One transaction that no power cut takes back once this has returned: for what must be known here before somebody
    /// else is told of it. It waits for the disk, and all that was committed before is on it, too.
    func writeDurably<T>(_ body: (Database) throws -> T) throws -> T {
        try mapped {
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                defer { try? db.execute(sql: "PRAGMA synchronous = NORMAL") }
                return try Self.countedInSavepoint(db, body)
            }
        }
    }

    /// The one transaction of a bulk load, which is written in parts: other readers see none of them before
    /// ``BulkLoad/commit()``.
    var bulkLoad: BulkLoad { BulkLoad(store: self) }

    struct BulkLoad {
        fileprivate let store: CatalogueStore

        /// Writes a part.
        ///
        /// - Parameter continues: whether parts before it are not committed yet; otherwise this one begins the transaction.
        func write<T>(continues: Bool, _ body: (Database) throws -> T) throws -> T {
            try read { db in
                if !db.isInsideTransaction {
                    guard !continues else { throw StoreError.takenBack }
                    // What it changes beyond that goes to the log before its end, at little cost; and memory stays flat
                    // however large the snapshot is, and whatever follows it.
                    try db.execute(sql: "PRAGMA cache_size = -8000")
                    try db.beginTransaction(.immediate)
                }
                return try CatalogueStore.countedInSavepoint(db, body)
            }
        }

        /// Reads by the connection that writes, of what isn't committed, too.
        func read<T>(_ body: (Database) throws -> T) throws -> T {
            try store.mapped { try store.pool.writeWithoutTransaction(body) }
        }

        /// - Throws: ``StoreError/takenBack`` if there is nothing to commit.
        func commit() throws {
            try read { db in
                guard db.isInsideTransaction else { throw StoreError.takenBack }
                do {
                    try db.commit()
                } catch {
                    try? db.rollback()
                    throw error
                }
            }
        }

        /// What can't be taken back is taken back when the database is closed.
        func rollBack() {
            try? store.pool.writeWithoutTransaction { if $0.isInsideTransaction { try $0.rollback() } }
        }
    }

    private static func counted<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
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

    /// As ``counted(_:_:)``, in a savepoint of the open transaction, or in a transaction if none is open.
    private static func countedInSavepoint<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        var result: Result<T, any Error> = .failure(StoreError.takenBack)
        try db.inSavepoint {
            result = .success(try counted(db, body))
            return .commit
        }
        return try result.get()
    }

    /// An access to what is stored.
    func mapped<T>(_ body: () throws -> T) throws -> T {
        do {
            guard let reading else { return try body() }
            return try reading.read(body)
        } catch let error as DatabaseError {
            throw isClosed ? StoreError.closed(path) : StoreError.of(error, path: path)
        }
    }

    /// Grows with every transaction that changed anything.
    package func generation() throws -> Int { try read(Self.generation) }

    static func generation(in db: Database) throws -> Int {
        try db.number("SELECT value FROM meta WHERE key = 'generation'") ?? 0
    }
}
