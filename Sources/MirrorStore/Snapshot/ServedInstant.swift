import Catalogue
import GRDB

/// The served objects and lists at one instant, in the order of their canonical URLs.
///
/// It has its own connection with one read transaction until it is closed. It doesn't see later commits, which stay in the
/// write-ahead log meanwhile.
package final class ServedInstant: Sendable {
    /// A canonical URL and the ETag of its answer.
    package struct Entry: Sendable, Hashable {
        /// The entry's number, from 1, in the order of the URLs' bytes.
        package let number: Int
        package let url: String
        package let etag: String

        fileprivate init(_ row: Row) { (number, url, etag) = (row[0], row[1], row[2]) }
    }

    private let queue: DatabaseQueue
    private let kinds: Kinds

    fileprivate init(path: String, kinds: Kinds) throws {
        self.kinds = kinds
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.label = "snapshot"
        // The transaction stays open between accesses.
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.unsafeRead { db in
            try db.execute(sql: "BEGIN DEFERRED TRANSACTION")
            // A deferred transaction fixes its instant with its first read.
            _ = try Int.fetchOne(db, sql: "SELECT 1 FROM meta LIMIT 1")
        }
    }

    /// Whether the digest, which supplies the URLs, includes all changes up to this instant.
    fileprivate func isCurrent(_ source: any DigestSource) throws -> Bool {
        try queue.unsafeRead { try DigestKeeper(source, $0, kinds).isCurrent() }
    }

    /// Collects the entries in a temporary table.
    fileprivate func collectEntries(
        _ side: DigestSide, and more: (ServedReader) throws -> [DigestLeaf]
    ) throws {
        try queue.unsafeRead { db in
            try db.execute(
                sql: """
                    CREATE TEMP TABLE snapshot_entry (number INTEGER PRIMARY KEY, url TEXT NOT NULL, etag TEXT NOT NULL);
                    CREATE TEMP TABLE snapshot_more (url TEXT NOT NULL, etag TEXT NOT NULL)
                    """)
            for leaf in try more(ServedReader(db: db, kinds: kinds)) {
                try db.execute(
                    sql: "INSERT INTO temp.snapshot_more (url, etag) VALUES (?, ?)",
                    arguments: [leaf.url, leaf.etag])
            }
            try db.execute(
                sql: """
                    INSERT INTO temp.snapshot_entry (url, etag)
                    SELECT url, etag FROM digest_leaf WHERE side = ?
                    UNION ALL SELECT url, etag FROM temp.snapshot_more ORDER BY url
                    """, arguments: [side.rawValue])
        }
    }

    /// The number of URLs.
    package func count() throws -> Int {
        try queue.unsafeRead { try $0.number("SELECT max(number) FROM temp.snapshot_entry") ?? 0 }
    }

    /// The number of URLs up to and including `url`.
    package func place(of url: String) throws -> Int {
        try queue.unsafeRead { db in
            try db.number("SELECT max(number) FROM temp.snapshot_entry WHERE url <= ?", [url]) ?? 0
        }
    }

    /// Samples of the entries after a number, spread evenly over the order of URLs.
    ///
    /// - Parameters:
    ///   - number: only entries after this number.
    ///   - condition: an SQL condition on `url`, which selects the special entries.
    ///   - limit: the maximum size of each sample.
    /// - Returns: a sample of the entries that fulfil the condition, and a sample of the others.
    package func sample(
        after number: Int, where condition: String, limit: Int
    ) throws -> (special: Sample, others: Sample) {
        try queue.unsafeRead { db in
            let table = "temp.snapshot_entry"
            let last = try db.number("SELECT max(number) FROM \(table)") ?? 0
            let special: [Int] = try db.rows(
                "SELECT number FROM \(table) WHERE number > ? AND (\(condition))", [number]
            ).map { $0[0] }
            func entries(_ numbers: [Int], _ rest: String) throws -> [Entry] {
                let sql = "SELECT number, url, etag FROM \(table) WHERE number = ? AND \(rest)"
                return try numbers.compactMap { try db.row(sql, [$0]).map(Entry.init) }
            }
            let count = max(0, last - number)
            let chosen = Self.spread(limit, over: special.count).map { special[$0] }
            let others = Self.spread(limit, over: count).map { number + 1 + $0 }
            return (
                Sample(count: special.count, entries: try entries(chosen, "1")),
                Sample(count: count - special.count, entries: try entries(others, "NOT (\(condition))"))
            )
        }
    }

    /// At most `limit` numbers below `count`: one from each of several equal ranges.
    ///
    /// The position within the range varies, because URLs of two kinds may alternate.
    private static func spread(_ limit: Int, over count: Int) -> [Int] {
        let step = max(1, (count + limit - 1) / limit)
        return stride(from: 0, to: count, by: step).compactMap { start in
            let place = start + Int(UInt32(truncatingIfNeeded: start / step) &* 2_654_435_761 >> 13) % step
            return place < count ? place : nil
        }
    }

    /// A sample of entries.
    package struct Sample: Sendable {
        /// The number of entries from which the sample was taken.
        package let count: Int
        package let entries: [Entry]
    }

    /// Calls `take` for each of these entries, with a reader of this instant.
    package func read(_ entries: [Entry], _ take: (Entry, ServedReader) throws -> Void) throws {
        try queue.unsafeRead { db in
            let reader = ServedReader(db: db, kinds: kinds)
            for entry in entries { try take(entry, reader) }
        }
    }

    /// The last logged change at this instant.
    package func event() throws -> EventID? { try queue.unsafeRead { try LogEnd($0)?.event } }

    /// Whether the log has all changes between an event and this instant, and they are at most `limit`.
    package func reaches(_ event: EventID, within limit: Int) throws -> Bool {
        try queue.unsafeRead { db in
            guard let end = try LogEnd(db), case .reached = try end.place(of: event, in: db) else {
                return false
            }
            return end.event.seq - event.seq <= Int64(limit)
        }
    }

    /// Calls `take` for each entry after a number, with a reader of this instant, until it returns `false`.
    package func read(after number: Int, _ take: (Entry, ServedReader) throws -> Bool) throws {
        try queue.unsafeRead { db in
            let reader = ServedReader(db: db, kinds: kinds)
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT number, url, etag FROM temp.snapshot_entry WHERE number > ? ORDER BY number"),
                arguments: [number])
            while let row = try rows.next() {
                guard try take(Entry(row), reader) else { return }
            }
        }
    }

    /// Ends the transaction and closes the connection. A second call does nothing.
    package func close() {
        // A failure has no consequence, because nothing was written.
        try? queue.close()
    }
}

extension CatalogueStore {
    /// The served objects and lists at the current instant.
    ///
    /// - Parameters:
    ///   - source: supplies the URLs in the digest.
    ///   - more: returns the URLs that aren't in the digest.
    /// - Returns: `nil` if another program wrote during each of 8 attempts; call the method again.
    package func servedInstant(
        from source: some DigestSource, and more: (ServedReader) throws -> [DigestLeaf]
    ) throws -> ServedInstant? {
        for _ in 0..<8 {
            _ = try digest(.root, from: source)
            let instant = try mapped { try ServedInstant(path: path, kinds: kinds) }
            do {
                guard try mapped({ try instant.isCurrent(source) }) else {
                    instant.close()
                    continue
                }
                try mapped { try instant.collectEntries(source.side, and: more) }
                return instant
            } catch {
                instant.close()
                throw error
            }
        }
        return nil
    }
}
