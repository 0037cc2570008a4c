import Catalogue
import GRDB

/// Counts of stored objects and files, and of the changes of a run.
extension CatalogueStore {
    /// The number of objects of each kind. Ghosts, kept objects, linked objects and locally deleted albums don't count.
    ///
    /// The counts are read from small indexes, not from the rows.
    public func counts() throws -> [Kind: Int] {
        try read { db in
            let mayBeGhosts = Set(kinds.withGhosts)
            return try Dictionary(
                uniqueKeysWithValues: kinds.all.map { kind in
                    var others: [String] = []
                    if mayBeGhosts.contains(kind) { others.append("ghost = 1") }
                    if kind.mayBeKept { others.append("kept = 1") }
                    if kind.isEdited { others.append("deleted AND kept = 0") }
                    if kind.isListed { others.append("linked = 1") }
                    let all = try Self.count(kind, "1", in: db)
                    return (kind, try others.reduce(all) { try $0 - Self.count(kind, $1, in: db) })
                })
        }
    }

    /// The number and size in bytes of the stored files, the number of ghosts, and that of objects marked for refetching.
    public func totals() throws -> (files: Int, bytes: Int64, ghosts: Int, marked: Int) {
        try read { db in
            let row = try db.row(
                "SELECT count(*), coalesce(sum(size), 0) FROM file WHERE released_at IS NULL")
            let ghosts = try kinds.withGhosts.reduce(0) { try $0 + Self.count($1, "ghost = 1", in: db) }
            let marked = try kinds.listed.reduce(0) {
                try $0 + Self.count($1, "refetch = 1 AND ghost = 0", in: db)
            }
            return (row?[0] ?? 0, row?[1] ?? 0, ghosts, marked)
        }
    }

    /// The number of kept objects by kind. Kinds without any are left out.
    package func keptCounts() throws -> [Kind: Int] {
        try read { db in
            try kinds.all.filter(\.mayBeKept).reduce(into: [:]) { counts, kind in
                let count = try Self.count(kind, "kept = 1", in: db)
                if count > 0 { counts[kind] = count }
            }
        }
    }

    /// Whether an object was restored, and the server has not listed it since.
    package func isKept(_ kind: Kind, _ id: String) throws -> Bool {
        guard kind.mayBeKept else { return false }
        let sql = "SELECT EXISTS (SELECT 1 FROM \"\(kind.table)\" WHERE id = ? AND kept = 1 AND ghost = 0)"
        return try read { try $0.isTrue(sql, [id]) }
    }

    private static func count(_ kind: Kind, _ condition: String, in db: Database) throws -> Int {
        try db.number("SELECT count(*) FROM \"\(kind.table)\" WHERE \(condition)") ?? 0
    }

    /// The number of albums with local edits that wait to be pushed, and of albums with an edit that the server refused.
    ///
    /// Artworks that were added to an album whose creation the server refused don't count as waiting.
    public func pendingEdits() throws -> (waiting: Int, refused: Int) {
        let sql = """
            SELECT coalesce(sum(waits), 0), coalesce(sum(refused), 0) FROM (
              SELECT sync_state = 'sync_needed' OR deleted OR acknowledged = 1 AND id IN (
                  SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NULL) AS waits,
                sync_state = 'sync_failed' OR id IN (
                  SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NOT NULL) AS refused
              FROM album)
            """
        let row = try read { try $0.row(sql) }
        return (row?[0] ?? 0, row?[1] ?? 0)
    }

    /// SQL: the size in bytes of the files to which only kept objects refer.
    private static let keptSize = """
        SELECT coalesce(sum(size), 0) FROM file WHERE hash IN (
          SELECT f.hash FROM artwork o JOIN image i ON i.artwork_id = o.id JOIN image_file f ON f.image = i.pk
            WHERE o.kept = 1
          UNION SELECT f.hash FROM show o JOIN image i ON i.show_id = o.id JOIN image_file f ON f.image = i.pk
            WHERE o.kept = 1
          UNION SELECT file FROM document WHERE kept = 1
        ) AND NOT EXISTS (
          SELECT 1 FROM image_file f JOIN image i ON i.pk = f.image LEFT JOIN artwork a ON a.id = i.artwork_id
            LEFT JOIN show s ON s.id = i.show_id WHERE f.hash = file.hash AND coalesce(a.kept, s.kept) = 0
        ) AND NOT EXISTS (SELECT 1 FROM document d WHERE d.file = file.hash AND d.kept = 0) AND released_at IS NULL
        """

    /// The size in bytes of all files that a mirror of this mirror would fetch; for `GET …/size`.
    package func mediaSize() throws -> Int64 {
        let all = "SELECT coalesce(sum(size), 0) FROM file WHERE released_at IS NULL"
        return try read { try $0.value(Int64.self, "SELECT (\(all)) - (\(Self.keptSize))") ?? 0 }
    }

    /// Whether there is a picture with an address but without a stored file.
    package func lacksPictures() throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM image i WHERE \(Self.hasAddress)
              AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.hash IS NOT NULL
                AND NOT (\(ImageTile.isTile("f.format")))))
            """
        return try read { try $0.isTrue(sql) }
    }

    // MARK: - Changes of a run

    package typealias ChangeCounts = (created: Int, updated: Int, deleted: Int)

    /// The number of objects of each kind that a run created, updated and deleted. Each object counts once.
    ///
    /// If only a location's list of artworks changed, the location doesn't count as updated: its artworks moved.
    package func changeCounts(run: Int64) throws -> [Kind: ChangeCounts] {
        try read { try changeCounts(run: run, in: $0) }
    }

    func changeCounts(run: Int64, in db: Database) throws -> [Kind: ChangeCounts] {
        // Without `NOT INDEXED`, SQLite would use an index for the grouping and read the whole log.
        let sql = """
            SELECT kind, sum(born AND NOT died), sum(altered AND NOT born AND NOT died), sum(died AND NOT born)
            FROM (
              SELECT kind, max(action = 'create') AS born, max(action = 'delete') AS died,
                max(action = 'update' AND NOT (kind = 'location' AND list IS NOT NULL)) AS altered
              FROM change NOT INDEXED WHERE \(ChangeLog.isOfRun) AND NOT \(ChangeLog.isForClientsOnly)
                AND evidence IS NOT '\(LoadEntry.evidence)' GROUP BY kind, owner, id
            ) GROUP BY kind
            """
        return try db.rows(sql, [run]).reduce(into: [:]) { counts, row in
            if let kind = kinds[row[0]] { counts[kind] = (row[1], row[2], row[3]) }
        }
    }

    /// Reads the changes of a run with an action, in order.
    package func changes(run: Int64, action: String, _ body: (_ kind: String, _ id: String) throws -> Void)
        throws
    {
        let sql = """
            SELECT kind, id FROM change
            WHERE \(ChangeLog.isOfRun) AND action = ?2 AND NOT \(ChangeLog.isForClientsOnly) ORDER BY seq
            """
        try read { try $0.forEach(sql, [run, action]) { try body($0[0], $0[1]) } }
    }
}

extension Kind {
    /// Whether objects of this kind can be restored. They are then kept until the server lists them again.
    var mayBeKept: Bool { isListed || isPart }
}
