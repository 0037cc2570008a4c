import Catalogue
import GRDB

/// The id of a change in one mirror's log, or of the log's beginning: the cursor of a feed of events.
///
/// Its text is `{log}-{seq}-{stamp}`. The log's random id distinguishes databases. The stamp comes from the row's time. It
/// distinguishes changes with the same number after a database was restored from a backup.
package struct EventID: Sendable, Hashable {
    /// The id of the log: lower-case letters and digits.
    package let log: String
    /// The number of the row in the log; 0 is before the first row.
    package let seq: Int64
    /// The stamp of the row's time; 0 if there was no row of that number.
    package let stamp: UInt64

}

extension EventID {
    /// Reads an id exactly as ``text`` writes it; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let seq = Int64(Substring(parts[1])), seq >= 0,
            let stamp = UInt64(Substring(parts[2]), radix: 36)
        else { return nil }
        self.init(log: String(Substring(parts[0])), seq: seq, stamp: stamp)
        guard Self.isLog(log), text.utf8.elementsEqual(self.text.utf8) else { return nil }
    }

    package var text: String { "\(log)-\(textWithoutLog)" }

    // MARK: - In the store

    /// The text without the log's id: the form in which the store stores its own ids.
    var textWithoutLog: String { "\(seq)-\(String(stamp, radix: 36))" }

    init?(log: String, textWithoutLog: String) { self.init("\(log)-\(textWithoutLog)") }

    /// The stamp of a row's time: the digits of `2026-01-31T12:00:00.000Z` as one number.
    static func stamp(of time: String) -> UInt64 {
        time.utf8.reduce(0) { number, byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                ? number &* 10 &+ UInt64(byte - UInt8(ascii: "0")) : number
        }
    }

    static func isLog(_ id: String) -> Bool {
        !id.isEmpty
            && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
}

/// The last change of the log, and the last change that was removed from it.
///
/// Trimming may remove the last change of a mirror without recent changes. SQLite still has its number, and `meta` has its id.
struct LogEnd {
    let event: EventID
    /// The last change that was removed; `nil` if unknown.
    let cut: EventID?

    /// Returns one row, even if the log is empty.
    private static let sql = """
        SELECT (SELECT value FROM meta WHERE key = 'log_id'),
          (SELECT value FROM meta WHERE key = '\(CatalogueStore.MetaKey.changeLogCut.rawValue)'), last.seq, change.at
        FROM (SELECT coalesce((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'change'), 0) AS seq) last
        LEFT JOIN change ON change.seq = last.seq
        """

    /// Reads the end; `nil` if the log has no id, because an earlier version made the database and it is read-only.
    init?(_ db: Database) throws {
        guard let row = try db.row(Self.sql), let log: String = row[0],
            EventID.isLog(log)
        else { return nil }
        let noted: String? = row[1], seq: Int64 = row[2], at: String? = row[3]
        cut = noted.flatMap { EventID(log: log, textWithoutLog: $0) }
        let known = cut.flatMap { $0.seq == seq ? $0.stamp : nil }
        event = EventID(log: log, seq: seq, stamp: at.map(EventID.stamp(of:)) ?? known ?? 0)
    }

    /// How an event relates to the log.
    enum Relation {
        /// The log has all changes after the event.
        case reached
        /// Changes after the event were removed, or may have been.
        case cut
        /// The event isn't from this log.
        case unknown
    }

    /// How an event relates to the log.
    func relation(to asked: EventID, in db: Database) throws -> Relation {
        guard ExactText.same(asked.log, event.log), asked.seq <= event.seq else { return .unknown }
        if asked == event { return .reached }
        let at = try db.text("SELECT at FROM change WHERE seq = ?", [asked.seq])
        if let at {
            guard EventID.stamp(of: at) == asked.stamp else { return .unknown }
        } else if let cut, cut.seq == asked.seq {
            return cut == asked ? .reached : .unknown
        } else {
            // The row was removed and its stamp isn't stored, so the event can't be verified. Only an event without a row,
            // such as the log's beginning, can.
            guard asked.stamp == 0 else { return .cut }
            let first = try db.value(Int64.self, "SELECT seq FROM change ORDER BY seq LIMIT 1")
            guard first == asked.seq + 1, try asked.seq > 0 || wasNeverCut(db) else { return .cut }
        }
        return asked.seq >= cut?.seq ?? 0 ? .reached : .cut
    }

    /// Whether no change was ever removed. Earlier versions stored only the time when they removed changes.
    private func wasNeverCut(_ db: Database) throws -> Bool {
        let start = CatalogueStore.MetaKey.changeLogStart.rawValue
        return try db.number("SELECT 1 FROM meta WHERE key = ?", [start]) == nil
    }
}

extension CatalogueStore {
    /// Removes changes, conflicts and runs that are older than a limit (100 days before now).
    ///
    /// Changes by restoring runs stay as long as any restored object is kept, so that restoring can be undone. The store keeps
    /// the time and the event from which the log is complete (``MetaKey/changeLogStart``, ``MetaKey/changeLogCut``). Times in the
    /// log never decrease, so only the rows to remove are read.
    ///
    /// - Parameter limit: a time in the store's format.
    package func trimHistory(olderThan limit: String) throws {
        try write { db in
            let kept = kinds.all.filter(\.mayBeKept).map {
                "EXISTS (SELECT 1 FROM \"\($0.table)\" WHERE kept = 1)"
            }
            let hasKept = try db.isTrue("SELECT \(kept.joined(separator: " OR "))")
            let spared = hasKept ? "AND command <> 'restore'" : ""
            let restores = hasKept ? "(SELECT run FROM sync_log WHERE command = 'restore')" : "()"
            let next = "SELECT seq FROM change WHERE at >= ? ORDER BY seq LIMIT 1"
            let young = try db.value(Int64.self, next, [limit]) ?? .max
            let old = "seq < ? AND (run IS NULL OR run NOT IN \(restores))"
            try noteLogCut(old, young, in: db)
            try db.run("DELETE FROM change WHERE \(old)", [young])
            try noteLogStart(limit, wasCut: db.changesCount > 0, in: db)
            try Self.trimShownHistory(before: young, olderThan: limit, in: db)
            try db.run("DELETE FROM conflict WHERE at < ?", [limit])
            try DigestKeeper.dropUnrequestedOrigin(db)
            try db.run(
                "DELETE FROM sync_log WHERE started_at < ? AND ended_at IS NOT NULL \(spared)", [limit])
        }
    }

    /// Stores the last of the changes that are about to be removed, unless a later one was removed before.
    private func noteLogCut(_ condition: String, _ young: Int64, in db: Database) throws {
        let last = "SELECT seq, at FROM change WHERE \(condition) ORDER BY seq DESC LIMIT 1"
        guard let row = try db.row(last, [young]), let end = try LogEnd(db)
        else { return }
        let cut = EventID(log: end.event.log, seq: row[0], stamp: EventID.stamp(of: row[1]))
        guard cut.seq > end.cut?.seq ?? 0 else { return }
        try Self.set(.changeLogCut, to: cut.textWithoutLog, in: db)
    }

    /// Stores the time from which the log is complete, if changes were removed now or by an earlier version.
    ///
    /// An earlier version has removed changes if the log is empty but has given out numbers.
    private func noteLogStart(_ limit: String, wasCut: Bool, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) SELECT ?, ? WHERE ? OR (NOT EXISTS (SELECT 1 FROM change)
              AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change'))
            ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)
            """, [MetaKey.changeLogStart.rawValue, limit, wasCut])
    }
}
