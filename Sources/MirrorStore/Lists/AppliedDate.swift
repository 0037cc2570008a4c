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
        try db.cachedStatement(
            sql: """
                INSERT INTO meta (key, value) VALUES (?1, ?2)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
                  WHERE CAST(value AS REAL) < ?2 OR CAST(value AS REAL) > ?3
                """
        ).execute(arguments: [key(kind), date, now + AnswerAge.tolerance])
    }

    static func read(_ kind: Kind, in db: Database) throws -> Double? {
        try Double.fetchOne(
            db.cachedStatement(sql: "SELECT CAST(value AS REAL) FROM meta WHERE key = ?"),
            arguments: [key(kind)])
    }

    /// Forgets dates that lie after a moment.
    static func forget(after moment: Double, in db: Database) throws {
        for kind in Kinds.standard.all {
            try db.cachedStatement(sql: "DELETE FROM meta WHERE key = ? AND CAST(value AS REAL) > ?").execute(
                arguments: [key(kind), moment])
        }
    }

    /// Another server's clock tells nothing.
    static func forget(in db: Database) throws {
        for kind in Kinds.standard.all {
            try db.cachedStatement(sql: "DELETE FROM meta WHERE key = ?").execute(arguments: [key(kind)])
        }
    }

    /// Under which it is kept in `meta`.
    static func key(_ kind: Kind) -> String { "applied_\(kind.name)" }
}

extension CatalogueStore {
    /// When the server made the newest answer that brought something of a kind past its own list, in seconds since 1970.
    package func appliedDate(_ kind: Kind) throws -> Double? {
        try readStatement { try AppliedDate.read(kind, in: $0) }
    }

    /// Forgets when lists were made, and what came past them, where that lies after a moment by the server's clock, which was
    /// ahead then: nothing that it says from now on is older than they. What was stored stays.
    package func forgetDates(after moment: Double) throws {
        let isAhead = try readStatement { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM list WHERE date > ?1)
                          OR EXISTS (SELECT 1 FROM meta WHERE key GLOB 'applied_*' AND CAST(value AS REAL) > ?1)
                        """), arguments: [moment]) ?? false
        }
        guard isAhead else { return }
        try write { db in
            try db.cachedStatement(sql: "UPDATE list SET date = NULL WHERE date > ?").execute(arguments: [
                moment
            ])
            try AppliedDate.forget(after: moment, in: db)
        }
    }
}
