import GRDB

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
        guard let row = try Row.fetchOne(db.cachedStatement(sql: Self.sql)), let log: String = row[0],
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
        let at = try String.fetchOne(
            db.cachedStatement(sql: "SELECT at FROM change WHERE seq = ?"), arguments: [asked.seq])
        if let at {
            guard EventID.stamp(of: at) == asked.stamp else { return .unknown }
        } else if let cut, cut.seq == asked.seq {
            return cut == asked ? .reached : .unknown
        } else {
            // A row that was taken out without a note can't be told from another; that there was none, can.
            guard asked.stamp == 0 else { return .cut }
            let first = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT seq FROM change ORDER BY seq LIMIT 1"))
            guard first == asked.seq + 1, try asked.seq > 0 || isWhole(db) else { return .cut }
        }
        return asked.seq >= cut?.seq ?? 0 ? .reached : .cut
    }

    /// Earlier versions cut logs too, and noted nothing but the time.
    private func isWhole(_ db: Database) throws -> Bool {
        let start = try db.cachedStatement(
            sql: "SELECT 1 FROM meta WHERE key = '\(CatalogueStore.Fact.changeLogStart.rawValue)'")
        return try Int.fetchOne(start) == nil
    }
}
