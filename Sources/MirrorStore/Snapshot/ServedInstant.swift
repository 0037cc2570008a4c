import Catalogue
import GRDB

/// What is served as it was at one instant, for as long as somebody reads it: its canonical URLs in order, and what each
/// stands for.
///
/// A connection of its own, in one transaction: what is written meanwhile isn't seen, and is kept in the write-ahead log
/// until this is closed.
package final class ServedInstant: Sendable {
    /// A canonical URL and the ETag with which it is answered.
    package struct Entry: Sendable, Hashable {
        /// Counted from 1 in the order of URLs, by their bytes.
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
        // The transaction outlives each access.
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.unsafeRead { db in
            try db.execute(sql: "BEGIN DEFERRED TRANSACTION")
            // The transaction begins with its first reading.
            _ = try Int.fetchOne(db, sql: "SELECT 1 FROM meta LIMIT 1")
        }
    }

    /// Whether the digest, from which the URLs are taken, has everything that changed up to this instant.
    fileprivate func isCurrent(_ source: any DigestSource) throws -> Bool {
        try queue.unsafeRead { try DigestKeeper(source, $0, kinds).isCurrent() }
    }

    fileprivate func gather(
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

    /// How many URLs there are.
    package func count() throws -> Int {
        try queue.unsafeRead { try $0.number("SELECT max(number) FROM temp.snapshot_entry") ?? 0 }
    }

    /// How many URLs don't come behind that one.
    package func place(of url: String) throws -> Int {
        try queue.unsafeRead { db in
            try db.number("SELECT max(number) FROM temp.snapshot_entry WHERE url <= ?", [url]) ?? 0
        }
    }

    /// Some of the entries behind a number, spread evenly over the order of URLs: of those for which a condition holds, and
    /// of the others.
    ///
    /// - Parameters:
    ///   - condition: on `url`, in SQL.
    ///   - limit: how many are chosen of either at most.
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

    /// Places among `count`, at most `limit`: one of each run of the same length, at a point that varies, since URLs of two
    /// kinds may alternate.
    private static func spread(_ limit: Int, over count: Int) -> [Int] {
        let step = max(1, (count + limit - 1) / limit)
        return stride(from: 0, to: count, by: step).compactMap { start in
            let place = start + Int(UInt32(truncatingIfNeeded: start / step) &* 2_654_435_761 >> 13) % step
            return place < count ? place : nil
        }
    }

    /// Some of a number of entries.
    package struct Sample: Sendable {
        package let count: Int
        package let entries: [Entry]
    }

    /// Hands out entries that were chosen before, and reads what they stand for.
    package func read(_ entries: [Entry], _ take: (Entry, ServedReader) throws -> Void) throws {
        try queue.unsafeRead { db in
            let reader = ServedReader(db: db, kinds: kinds)
            for entry in entries { try take(entry, reader) }
        }
    }

    /// The last change that was made before this instant.
    package func event() throws -> EventID? { try queue.unsafeRead { try LogEnd($0)?.event } }

    /// What there was of an event's log since: `false` where that can't be told any more, or is more than so many changes.
    package func reaches(_ event: EventID, within limit: Int) throws -> Bool {
        try queue.unsafeRead { db in
            guard let end = try LogEnd(db), case .reached = try end.place(of: event, in: db) else {
                return false
            }
            return end.event.seq - event.seq <= Int64(limit)
        }
    }

    /// Hands out the entries behind that number, as many as are taken, and reads what they stand for.
    ///
    /// - Parameter take: whether to go on.
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

    /// Ends the transaction. A second call does nothing.
    package func close() {
        // What is only read can't fail to be let go of in a way that would matter to anybody.
        try? queue.close()
    }
}

extension CatalogueStore {
    /// What is served, as it is now, with its URLs in order.
    ///
    /// - Parameters:
    ///   - source: knows the URLs of what is in the digest.
    ///   - more: the URLs that aren't.
    /// - Returns: `nil` if somebody wrote each time when this looked; ask again.
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
                try mapped { try instant.gather(source.side, and: more) }
                return instant
            } catch {
                instant.close()
                throw error
            }
        }
        return nil
    }
}
