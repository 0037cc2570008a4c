import GRDB
import MirrorStore

/// Takes down which rows of objects are written, whether or not they become others by it.
///
/// It is the matter of one connection, the one that writes: whoever opens the file finds nothing of it.
struct RowWatch {
    let db: Database

    /// Makes what is needed. A second call does nothing. What is prepared is prepared once more then.
    func install() throws {
        let isThere = "SELECT EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'watch')"
        guard try Bool.fetchOne(db.cachedStatement(sql: isThere)) == false else { return }
        try db.execute(sql: "CREATE TEMP TABLE watch (isOn INTEGER NOT NULL); INSERT INTO watch VALUES (0)")
        try db.execute(sql: "CREATE TEMP TABLE touched (what TEXT NOT NULL)")
        for table in Self.watched {
            for deed in ["INSERT", "UPDATE", "DELETE"] {
                let isOut = "\(deed) \(table)" == Self.pruned
                try db.execute(
                    sql: """
                        CREATE TEMP TRIGGER watch_\(table)_\(deed) AFTER \(deed) ON main."\(table)"
                        WHEN (SELECT isOn FROM watch) \(isOut ? "AND old.etag IS NOT NULL" : "")
                        BEGIN INSERT INTO touched VALUES ('\(deed) \(table)'\(isOut ? " || ' ' || old.id" : "")); END
                        """)
            }
        }
    }

    func begin() throws {
        try install()
        try db.cachedStatement(sql: "DELETE FROM temp.touched").execute()
        try db.cachedStatement(sql: "UPDATE temp.watch SET isOn = 1").execute()
    }

    /// - Parameter isNamed: whether the server's list names a show: that one was pruned may be forgotten when it doesn't, with
    ///   the deletion or, where that was silent, with the next list that is seen.
    /// - Returns: what was written since it began: deeds and tables.
    func end(isNamed: (_ show: String) -> Bool) throws -> [String] {
        try db.cachedStatement(sql: "UPDATE temp.watch SET isOn = 0").execute()
        return try String.fetchAll(
            db.cachedStatement(sql: "SELECT DISTINCT what FROM temp.touched ORDER BY what")
        ).filter { what in
            !what.hasPrefix(Self.pruned) || isNamed(String(what.dropFirst(Self.pruned.count + 1)))
        }
    }

    private static let pruned = "DELETE pruned"

    /// The tables of objects, of what belongs to them, and of what people did.
    private static let watched = [
        "location", "artist", "artwork", "album", "show", "document", "image", "edition_set",
        "artwork_artist", "show_artwork", "show_artist", "album_artwork", "location_artwork", "note", "rival",
        "conflict", "pruned",
    ]
}
