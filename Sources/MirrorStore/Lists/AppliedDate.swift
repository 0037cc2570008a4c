import Catalogue
import GRDB

/// When the server made the newest answer that brought something of a kind past the kind's own list: what changed since a date,
/// a page of events, a snapshot. A list that was made before it doesn't know of what that brought.
enum AppliedDate {
    /// Keeps the later of two dates, unless the earlier one can't have been right (``AnswerAge``). Idempotent.
    ///
    /// - Parameters:
    ///   - date: in seconds since 1970.
    ///   - now: the own clock.
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

    /// Forgets dates that lie after a moment; all of them without one, as another server's clock tells nothing.
    static func forget(after moment: Double = -.infinity, in db: Database) throws {
        try db.run("DELETE FROM meta WHERE key GLOB 'applied_*' AND CAST(value AS REAL) > ?", [moment])
    }

    /// Under which it is kept in `meta`.
    static func key(_ kind: Kind) -> String { "applied_\(kind.name)" }
}

extension CatalogueStore {
    /// When the server made the newest answer that brought something of a kind past its own list, in seconds since 1970.
    package func appliedDate(_ kind: Kind) throws -> Double? {
        try read { try AppliedDate.read(kind, in: $0) }
    }

    /// Forgets when lists were made, and what came past them, where that lies after a moment by the server's clock, which was
    /// ahead then: nothing that it says from now on is older than they. What was stored stays.
    package func forgetDates(after moment: Double) throws {
        try write { db in
            try db.run("UPDATE list SET date = NULL WHERE date > ?", [moment])
            try AppliedDate.forget(after: moment, in: db)
        }
    }
}

/// Whether an answer was made before another, by the server's own dates: a pure decision. All in seconds since 1970.
///
/// | stored date | an earlier answer |
/// |---|---|
/// | at most a week ahead of the own clock | is older: something on the way kept it |
/// | further ahead | is taken: the server's clock was wrong once, and nothing would be newer for years |
package enum AnswerAge {
    /// More than clocks and time zones differ by mistake, and no more than a mirror may stand still for.
    static let tolerance: Double = 7 * 86_400

    /// - Parameters:
    ///   - new: when the answer was made; `nil` if the server didn't say.
    ///   - stored: when the answer was made that was last applied.
    ///   - now: the own clock.
    package static func isOlder(_ new: Double?, than stored: Double?, now: @autoclosure () -> Double) -> Bool
    {
        guard let new, let stored, new < stored else { return false }
        return stored <= now() + tolerance
    }
}
