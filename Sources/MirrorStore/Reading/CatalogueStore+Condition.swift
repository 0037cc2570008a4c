import GRDB

/// A loop that keeps the mirror current, as it stands.
public struct LoopRecord: Sendable, Hashable {
    public let id: String
    public let kind: String
    /// `enabled`, or why it isn't running.
    public let state: String
    public let failures: Int
    public let lastAt: String?
    public let message: String?
}

extension CatalogueStore {
    /// Albums with local edits that wait to be pushed, and those of which the server refused one.
    public func pendingEdits() throws -> (waiting: Int, refused: Int) {
        try read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT coalesce(sum(waits), 0), coalesce(sum(refused), 0) FROM (
                      SELECT sync_state = 'sync_needed' OR deleted OR EXISTS (
                          SELECT 1 FROM album_artwork WHERE album_id = album.id AND pending IS NOT NULL
                            AND failure IS NULL) AS waits,
                        sync_state = 'sync_failed' OR EXISTS (SELECT 1 FROM album_artwork
                          WHERE album_id = album.id AND failure IS NOT NULL) AS refused
                      FROM album)
                    """)
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// The loops of `mirror watch`, in order; none where it never ran.
    public func loops() throws -> [LoopRecord] {
        try read { db in
            try Row.fetchAll(
                db, sql: "SELECT id, kind, state, failures, last_at, message FROM loop ORDER BY kind, id"
            ).map {
                LoopRecord(
                    id: $0[0], kind: $0[1], state: $0[2], failures: $0[3], lastAt: $0[4], message: $0[5])
            }
        }
    }
}
