import Catalogue
import GRDB

extension CatalogueStore {
    /// The loops of `mirror watch`, by kind and id; none where it never ran.
    public func loops() throws -> [LoopRecord] {
        try read { db in
            try Row.fetchAll(db, sql: "\(LoopRows.select) ORDER BY kind, id").map(LoopRows.record)
        }
    }

    /// One loop as it stands; `nil` if there is none.
    public func loop(_ id: String) throws -> LoopRecord? {
        try read { db in
            try Row.fetchOne(
                db.cachedStatement(sql: "\(LoopRows.select) WHERE id = ?"), arguments: [id]
            ).map(LoopRows.record)
        }
    }

    /// Writes how a loop stands, all but its cursor, which only moves with what it covers. Idempotent.
    package func note(_ loop: LoopRecord) throws {
        try write(isServed: false) { try LoopRows(db: $0).note(loop) }
    }

    /// Notes that loops went well; one statement for all of them.
    package func noteLoops(_ ids: [String], wentWellAt time: String) throws {
        guard !ids.isEmpty else { return }
        try write(isServed: false) { db in
            try db.cachedStatement(
                sql: "UPDATE loop SET last_at = ? WHERE id IN (SELECT value FROM json_each(?))"
            ).execute(arguments: [time, JSONValue.canonicalText(of: ids)])
        }
    }

    /// Removes loops that are no longer of use: the shows that they were of are gone.
    package func forgetLoops(_ ids: [String]) throws {
        guard !ids.isEmpty else { return }
        try write(isServed: false) { db in
            try db.cachedStatement(sql: "DELETE FROM loop WHERE id IN (SELECT value FROM json_each(?))")
                .execute(arguments: [JSONValue.canonicalText(of: ids)])
        }
    }
}

/// Reads and writes the table `loop` in somebody else's transaction.
struct LoopRows {
    let db: Database

    static let select =
        "SELECT id, kind, state, failures, last_at, message, next_at, cursor, health FROM loop"

    static func record(_ row: Row) -> LoopRecord {
        LoopRecord(
            id: row[0], kindText: row[1], state: row[2], failures: row[3], lastAt: row[4], message: row[5],
            nextAt: row[6], cursor: row[7], health: row[8])
    }

    func note(_ loop: LoopRecord) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO loop (id, kind, state, failures, last_at, message, next_at, health)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, state = excluded.state,
                  failures = excluded.failures, last_at = coalesce(excluded.last_at, last_at),
                  message = excluded.message, next_at = excluded.next_at, health = excluded.health
                """
        ).execute(arguments: [
            loop.id, loop.kind, loop.state, loop.failures, loop.lastAt, loop.message, loop.nextAt,
            loop.health,
        ])
    }

    func cursor(_ id: String) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT cursor FROM loop WHERE id = ?"), arguments: [id])
    }

    /// Stores how far a feed is known, which also means that the loop is well.
    func store(_ cursor: String, of id: String, kind: LoopRecord.Kind, at time: String) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO loop (id, kind, cursor, last_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor, last_at = excluded.last_at,
                  state = 'enabled', failures = 0, message = NULL, next_at = NULL, health = NULL
                """
        ).execute(arguments: [id, kind.rawValue, cursor, time])
    }
}
