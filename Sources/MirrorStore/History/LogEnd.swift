import Catalogue
import GRDB

/// Names a change of one mirror's log, or the beginning of it, to others: the cursor of a feed of events.
///
/// Written as `{log}-{seq}-{stamp}`. The log's random id tells databases apart. The stamp comes from the time of the row,
/// so that a database that was put back to an earlier state, and went on from there, doesn't take another change for the
/// one that it named before.
package struct EventID: Sendable, Hashable {
    /// The id of the log: letters and digits.
    package let log: String
    /// The row in the log; 0 is before the first.
    package let seq: Int64
    /// Of the row's time; 0 where there was no row of that number.
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

    package var text: String { "\(log)-\(rest)" }

    // MARK: - In the store

    /// Without the log: how the store keeps one of its own.
    var rest: String { "\(seq)-\(String(stamp, radix: 36))" }

    init?(log: String, rest: String) { self.init("\(log)-\(rest)") }

    /// The stamp of a row of that time, which the store writes as `2026-01-31T12:00:00.000Z`: its digits as one number.
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

/// The last change that a log ever had, and up to where it was cut.
///
/// The row of the last change may be gone, when a quiet mirror's history was trimmed: its number is known all the same,
/// and what it was is noted with the cut.
struct LogEnd {
    let event: EventID
    /// The last change that was cut off, as far as it was noted.
    let cut: EventID?

    /// One row, whatever is in the log.
    private static let sql = """
        SELECT (SELECT value FROM meta WHERE key = 'log_id'),
          (SELECT value FROM meta WHERE key = '\(CatalogueStore.Fact.changeLogCut.rawValue)'), last.seq, change.at
        FROM (SELECT coalesce((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'change'), 0) AS seq) last
        LEFT JOIN change ON change.seq = last.seq
        """

    /// `nil` in a database of an earlier version that can't be written: its log has no id.
    init?(_ db: Database) throws {
        guard let row = try db.row(Self.sql), let log: String = row[0],
            EventID.isLog(log)
        else { return nil }
        let noted: String? = row[1], seq: Int64 = row[2], at: String? = row[3]
        cut = noted.flatMap { EventID(log: log, rest: $0) }
        let known = cut.flatMap { $0.seq == seq ? $0.stamp : nil }
        event = EventID(log: log, seq: seq, stamp: at.map(EventID.stamp(of:)) ?? known ?? 0)
    }

    /// Where an event stands.
    enum Place {
        /// Everything after it is in the log.
        case reached
        /// Something after it was cut off, or nobody can tell.
        case cut
        /// It is none of this log's.
        case unknown
    }

    func place(of asked: EventID, in db: Database) throws -> Place {
        guard ExactText.same(asked.log, event.log), asked.seq <= event.seq else { return .unknown }
        if asked == event { return .reached }
        let at = try db.text("SELECT at FROM change WHERE seq = ?", [asked.seq])
        if let at {
            guard EventID.stamp(of: at) == asked.stamp else { return .unknown }
        } else if let cut, cut.seq == asked.seq {
            return cut == asked ? .reached : .unknown
        } else {
            // A row that was taken out without a note can't be told from another; that there was none, can.
            guard asked.stamp == 0 else { return .cut }
            let first = try db.value(Int64.self, "SELECT seq FROM change ORDER BY seq LIMIT 1")
            guard first == asked.seq + 1, try asked.seq > 0 || isWhole(db) else { return .cut }
        }
        return asked.seq >= cut?.seq ?? 0 ? .reached : .cut
    }

    /// Earlier versions cut logs too, and noted nothing but the time.
    private func isWhole(_ db: Database) throws -> Bool {
        let start = CatalogueStore.Fact.changeLogStart.rawValue
        return try db.number("SELECT 1 FROM meta WHERE key = ?", [start]) == nil
    }
}

extension CatalogueStore {
    /// Forgets changes older than 100 days, and problems of runs older than that.
    ///
    /// What restoring did is remembered as long as anything that was restored is kept, so that it can be undone. From
    /// which time on the log has everything stays known (``Fact/changeLogStart``), and behind which event. The log is read
    /// from its oldest row to the first that is young enough: times in it never go back, so the cost is that of what goes.
    ///
    /// - Parameter limit: as the store writes times.
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
            try db.run("DELETE FROM conflict WHERE at < ?", [limit])
            try DigestKeeper.forgetUnasked(db)
            try db.run(
                "DELETE FROM sync_log WHERE started_at < ? AND ended_at IS NOT NULL \(spared)", [limit])
        }
    }

    /// The last of those that are about to go, unless one behind it went before.
    private func noteLogCut(_ condition: String, _ young: Int64, in db: Database) throws {
        let last = "SELECT seq, at FROM change WHERE \(condition) ORDER BY seq DESC LIMIT 1"
        guard let row = try db.row(last, [young]), let end = try LogEnd(db)
        else { return }
        let cut = EventID(log: end.event.log, seq: row[0], stamp: EventID.stamp(of: row[1]))
        guard cut.seq > end.cut?.seq ?? 0 else { return }
        try Self.set(.changeLogCut, to: cut.rest, in: db)
    }

    /// An empty log that once had changes was cut before this was noted.
    private func noteLogStart(_ limit: String, wasCut: Bool, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) SELECT ?, ? WHERE ? OR (NOT EXISTS (SELECT 1 FROM change)
              AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change'))
            ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)
            """, [Fact.changeLogStart.rawValue, limit, wasCut])
    }
}
