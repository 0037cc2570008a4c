import GRDB
import MirrorStore

/// Records which rows of objects are written, even if the write changes nothing.
///
/// It uses temporary triggers on the writing connection. Other connections don't see them.
struct RowWriteRecorder {
    let db: Database

    /// Creates the temporary tables and triggers. Idempotent. Statements that were prepared before are prepared again.
    func install() throws {
        let isThere = "SELECT EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'watch')"
        guard try Bool.fetchOne(db.cachedStatement(sql: isThere)) == false else { return }
        try db.execute(sql: "CREATE TEMP TABLE watch (isOn INTEGER NOT NULL); INSERT INTO watch VALUES (0)")
        try db.execute(sql: "CREATE TEMP TABLE touched (what TEXT NOT NULL)")
        for table in Self.watched {
            for statement in ["INSERT", "UPDATE", "DELETE"] {
                let isPruned = "\(statement) \(table)" == Self.pruned
                try db.execute(
                    sql: """
                        CREATE TEMP TRIGGER watch_\(table)_\(statement) AFTER \(statement) ON main."\(table)"
                        WHEN (SELECT isOn FROM watch) \(isPruned ? "AND old.etag IS NOT NULL" : "")
                        BEGIN INSERT INTO touched VALUES ('\(statement) \(table)'\(isPruned ? " || ' ' || old.id" : "")); END
                        """)
            }
        }
    }

    func begin() throws {
        try install()
        try db.cachedStatement(sql: "DELETE FROM temp.touched").execute()
        try db.cachedStatement(sql: "UPDATE temp.watch SET isOn = 1").execute()
    }

    /// Ends the recording.
    ///
    /// - Parameter isNamed: whether the server's list contains a show. If not, the record of the pruned show may be deleted:
    ///   with the reported deletion or, if there was none, with the next list.
    /// - Returns: the statements and tables that were recorded, such as `UPDATE artwork`.
    func end(isNamed: (_ show: String) -> Bool) throws -> [String] {
        try db.cachedStatement(sql: "UPDATE temp.watch SET isOn = 0").execute()
        return try String.fetchAll(
            db.cachedStatement(sql: "SELECT DISTINCT what FROM temp.touched ORDER BY what")
        ).filter { what in
            !what.hasPrefix(Self.pruned) || isNamed(String(what.dropFirst(Self.pruned.count + 1)))
        }
    }

    private static let pruned = "DELETE pruned"

    /// The tables of objects, of their parts, and of local edits.
    private static let watched = [
        "location", "artist", "artwork", "album", "show", "document", "image", "edition_set",
        "artwork_artist", "show_artwork", "show_artist", "album_artwork", "location_artwork", "note", "rival",
        "conflict", "pruned",
    ]
}
