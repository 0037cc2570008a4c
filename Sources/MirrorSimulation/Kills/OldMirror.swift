import Foundation
import GRDB
import MirrorStore

/// Converts a mirror to the first version of the database schema, with all its content, to test the migration.
enum OldMirror {
    /// SQL: keys of the table `meta` that later versions set: the random id of the event log, the format of the search index,
    /// and how far the index and the history are counted.
    private static let laterFacts = [
        "log_id", "search_format", "search_filled", "marked_change", "tallied_change",
    ]
    .map { "'\($0)'" }.joined(separator: ", ")

    /// Converts the database.
    ///
    /// - Parameters:
    ///   - path: the database, which is replaced.
    ///   - changes: the number of entries that are added to the change log. They make the migration long enough to be killed
    ///     in the middle.
    static func make(at path: String, changes: Int) throws {
        let old = path + ".old"
        let queue = try DatabaseQueue(path: old)
        try Schema.migrator.migrate(queue, upTo: "1")
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; ATTACH ? AS current", arguments: [path])
            try db.execute(sql: "BEGIN")
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
                      AND name NOT LIKE 'search~_%' ESCAPE '~' AND name <> 'grdb_migrations'
                      OR name = 'search_entry' AND type = 'table'
                    """)
            for table in tables {
                let current = Set(try columns(of: table, in: "current", db))
                let names = try columns(of: table, in: "main", db).filter(current.contains)
                    .map { "\"\($0)\"" }.joined(separator: ", ")
                let condition = table == "meta" ? " WHERE key NOT IN (\(laterFacts))" : ""
                let rowID = table == "search" ? "rowid, " : ""
                try db.execute(
                    sql: """
                        INSERT INTO main."\(table)" (\(rowID)\(names)) SELECT \(rowID)\(names) FROM current."\(table)"\(condition)
                        """)
            }
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO main.change (run, at, kind, id, action)
                    SELECT 1, '2026-01-01T00:00:00.000Z', 'artist', 'gone-' || i, 'create' FROM n
                    """, arguments: [changes])
            try db.execute(sql: "COMMIT; DETACH current")
        }
        try queue.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        try FileManager.default.moveItem(atPath: old, toPath: path)
    }

    private static func columns(of table: String, in schema: String, _ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?, ?)", arguments: [table, schema])
    }
}
