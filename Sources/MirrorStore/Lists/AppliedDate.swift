import Catalogue
import GRDB

/// The time of the newest answer that changed objects of a kind without its own list.
///
/// Such answers are changes since a date, pages of events and snapshots. A list that the server made earlier doesn't have
/// their changes.
enum AppliedDate {
    /// Stores a date if it is later than the stored one, or the stored one can't be right (``AnswerAge``). Idempotent.
    ///
    /// - Parameters:
    ///   - date: in seconds since 1970.
    ///   - now: the local clock, in seconds since 1970.
    static func note(_ date: Double, of kind: Kind, now: Double, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
              WHERE CAST(value AS REAL) < ?2 OR CAST(value AS REAL) > ?3
            """, [key(kind), date, now + AnswerAge.tolerance])
    }

    static func read(_ kind: Kind, in db: Database) throws -> Double? {
        try db.value(Double.self, "SELECT CAST(value AS REAL) FROM meta WHERE key = ?", [key(kind)])
    }

    /// Removes dates after a moment.
    ///
    /// - Parameter moment: in seconds since 1970. Default: removes all dates, because they come from another server's clock.
    static func forget(after moment: Double = -.infinity, in db: Database) throws {
        try db.run("DELETE FROM meta WHERE key GLOB 'applied_*' AND CAST(value AS REAL) > ?", [moment])
    }

    /// The key in the table `meta`.
    static func key(_ kind: Kind) -> String { "applied_\(kind.name)" }
}

extension CatalogueStore {
    /// The time of the newest answer that changed objects of a kind without its own list, in seconds since 1970.
    package func appliedDate(_ kind: Kind) throws -> Double? {
        try read { try AppliedDate.read(kind, in: $0) }
    }

    /// Removes the dates of lists and other answers that are later than the server's corrected clock.
    ///
    /// The server's clock was ahead when these answers were made, so its next answers would be rejected as older. The stored
    /// objects and lists stay.
    ///
    /// - Parameter moment: the server's time now, in seconds since 1970.
    package func forgetDates(after moment: Double) throws {
        try write { db in
            try db.run("UPDATE list SET date = NULL WHERE date > ?", [moment])
            try AppliedDate.forget(after: moment, in: db)
        }
    }
}

/// Decides whether an answer is older than one that was applied before, by the server's dates. All in seconds since 1970.
///
/// | stored date | an answer with an earlier date |
/// |---|---|
/// | at most a week ahead of the local clock | is older: a cache or proxy delayed it |
/// | further ahead | is accepted: the server's clock was wrong once, and otherwise no answer would be newer for years |
package enum AnswerAge {
    /// One week, in seconds: more than clocks and time zones differ by mistake, and short enough for a mirror without updates.
    static let tolerance: Double = 7 * 86_400

    /// Whether an answer is older than the one that was applied last.
    ///
    /// - Parameters:
    ///   - new: when the server made the answer; `nil` if unknown.
    ///   - stored: when the server made the answer that was applied last; `nil` if unknown.
    ///   - now: the local clock.
    package static func isOlder(_ new: Double?, than stored: Double?, now: @autoclosure () -> Double) -> Bool
    {
        guard let new, let stored, new < stored else { return false }
        return stored <= now() + tolerance
    }
}
