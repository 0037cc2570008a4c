import GRDB

/// An album whose local edit waits to be pushed.
package struct PendingAlbum: Sendable, Hashable {
    package let id: String
    package let name: String?
    package let description: String?
    package let isPrivate: Bool?
    /// Whether the server knows of it: if not, it is to be created there.
    package let acknowledged: Bool
    /// Whether name, description or privacy changed (always, for one to be created).
    package let fieldsChanged: Bool
    package let idempotencyKey: String?
    /// The ETag that the edit was based on.
    package let baseETag: String?
    /// Counts local edits: an answer is applied only if none came during the request.
    package let edit: Int
    package let added: [String]
    package let removed: [String]
}

extension CatalogueStore {
    /// Makes a new album here. It gets its final id when the server acknowledges it, and until then is never swept.
    ///
    /// - Parameter key: made once, stored before anything is sent, so that an answer that is lost makes no second album.
    package func createAlbum(_ record: ObjectRecord, key: String) throws {
        let at = timestamp()
        try write { db in
            _ = try ObjectWriter(log: ChangeLog(db: db, run: nil, at: at)).write(record)
            try db.execute(
                sql: """
                    UPDATE album SET sync_state = 'sync_needed', acknowledged = 0, idempotency_key = ?, edited_at = ?,
                      edit = 1, base_etag = NULL WHERE id = ?
                    """, arguments: [key, at, record.id])
        }
    }

    /// Changes an album's own fields here.
    ///
    /// - Returns: whether the album is there.
    package func editAlbum(_ record: ObjectRecord) throws -> Bool {
        let at = timestamp()
        return try write { db in
            guard
                let row = try Row.fetchOne(
                    db,
                    sql:
                        "SELECT etag, acknowledged, base_etag, sync_state FROM album WHERE id = ? AND deleted = 0",
                    arguments: [record.id])
            else { return false }
            let clean = row[3] == "in_sync"
            let base: String? = clean ? row[0] : row[2]
            let acknowledged: Bool = row[1]
            try db.execute(
                sql: "UPDATE album SET sync_state = 'in_sync' WHERE id = ?", arguments: [record.id])
            _ = try ObjectWriter(log: ChangeLog(db: db, run: nil, at: at)).write(record)
            try db.execute(
                sql: """
                    UPDATE album SET sync_state = 'sync_needed', sync_failure = NULL, acknowledged = ?, base_etag = ?,
                      edited_at = ?, edit = edit + 1 WHERE id = ?
                    """, arguments: [acknowledged, base, at, record.id])
            return true
        }
    }

    /// Adds an artwork to an album here, or takes it out; pushed with the next sync.
    ///
    /// - Returns: whether album and artwork are there.
    package func editAlbum(_ album: String, artwork: String, present: Bool) throws -> Bool {
        let at = timestamp()
        return try write { db in
            let here = "SELECT count(*) FROM album WHERE id = ? AND deleted = 0"
            guard try Int.fetchOne(db, sql: here, arguments: [album]) == 1,
                try StoredRow.find(.artwork, artwork, in: db).map({ !$0.ghost }) ?? false
            else { return false }
            let row = try Row.fetchOne(
                db, sql: "SELECT position, pending FROM album_artwork WHERE album_id = ? AND artwork_id = ?",
                arguments: [album, artwork])
            let pending: String? = row?[1]
            switch (present, row != nil, pending) {
            case (true, false, _):
                try db.execute(
                    sql: """
                        INSERT INTO album_artwork (album_id, artwork_id, position, pending)
                        SELECT ?1, ?2, coalesce(max(position) + 1, 0), 'add' FROM album_artwork WHERE album_id = ?1
                        """, arguments: [album, artwork])
            case (true, true, "remove"):
                try setPending(nil, album, artwork, db)
            case (false, true, "add"):
                try db.execute(
                    sql: "DELETE FROM album_artwork WHERE album_id = ? AND artwork_id = ?",
                    arguments: [album, artwork])
            case (false, true, nil):
                try setPending("remove", album, artwork, db)
            default:
                return true
            }
            try db.execute(
                sql: """
                    UPDATE album SET edited_at = ?, edit = edit + 1, sync_failure = NULL,
                      sync_state = CASE sync_state WHEN 'sync_failed' THEN 'sync_needed' ELSE sync_state END
                    WHERE id = ?
                    """, arguments: [at, album])
            return true
        }
    }

    /// Marks an album as deleted here; one that the server never knew goes at once.
    package func deleteAlbum(_ id: String) throws -> Bool {
        let at = timestamp()
        return try write { db in
            guard
                let acknowledged = try Bool.fetchOne(
                    db, sql: "SELECT acknowledged FROM album WHERE id = ?", arguments: [id])
            else { return false }
            if acknowledged {
                try db.execute(
                    sql: "UPDATE album SET deleted = 1, edited_at = ?, edit = edit + 1 WHERE id = ?",
                    arguments: [at, id])
            } else {
                try ObjectRemover(log: ChangeLog(db: db, run: nil, at: at))
                    .remove(.album, id, evidence: "deleted here before it was pushed")
            }
            return true
        }
    }

    /// Albums with edits to push, oldest first.
    package func pendingAlbums() throws -> [PendingAlbum] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, name, description, private, acknowledged, sync_state, idempotency_key, base_etag, edit
                    FROM album WHERE deleted = 0 AND (sync_state = 'sync_needed' OR (sync_state <> 'sync_failed'
                      AND EXISTS (SELECT 1 FROM album_artwork WHERE album_id = album.id AND pending IS NOT NULL)))
                    ORDER BY edited_at, id
                    """
            ).map { row in
                func artworks(_ pending: String) throws -> [String] {
                    try String.fetchAll(
                        db,
                        sql:
                            "SELECT artwork_id FROM album_artwork WHERE album_id = ? AND pending = ? ORDER BY position",
                        arguments: [row[0] as String, pending])
                }
                return PendingAlbum(
                    id: row[0], name: row[1], description: row[2], isPrivate: row[3], acknowledged: row[4],
                    fieldsChanged: row[5] == "sync_needed", idempotencyKey: row[6], baseETag: row[7],
                    edit: row[8],
                    added: try artworks("add"), removed: try artworks("remove"))
            }
        }
    }

    /// Albums that were deleted here, to be deleted on the server.
    package func pendingAlbumDeletions() throws -> [String] {
        try read {
            try String.fetchAll($0, sql: "SELECT id FROM album WHERE deleted = 1 ORDER BY edited_at, id")
        }
    }

    private func setPending(_ pending: String?, _ album: String, _ artwork: String, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE album_artwork SET pending = ? WHERE album_id = ? AND artwork_id = ?",
            arguments: [pending, album, artwork])
    }
}
