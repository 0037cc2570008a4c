import GRDB

/// An album with its local edits applied, and the state of these edits.
package struct AlbumSummary: Sendable, Equatable {
    package let id: String
    package let slug: String?
    package let fields: AlbumFields
    /// The number of its artworks, with local edits applied.
    package let artworks: Int
    /// Whether edits of its fields or artworks wait to be pushed.
    package let isPending: Bool
    /// Whether the server has acknowledged the album.
    package let isAcknowledged: Bool
    /// The server's reasons for refusing edits.
    package let failures: [String]
}

/// An edit of an album that the server refused. It isn't pushed again.
public struct RefusedEdit: Sendable, Hashable {
    /// The album's id.
    public let album: String
    /// The album's name; `nil` if it has none.
    public let name: String?
    /// The id of the artwork that was to be added or removed; `nil` for an edit of the album itself.
    public let artwork: String?
    /// The server's reason; empty if it sent none.
    public let reason: String
}

extension CatalogueStore {
    /// The albums that a key identifies. Locally deleted albums are left out.
    ///
    /// The first of these searches with a result decides: by id, by slug, by the id under which an album was created locally, by
    /// name.
    package func albums(called key: String) throws -> [AlbumSummary] {
        for column in ["id", "slug", "local_id", "name"] {
            let found = try albums("\(column) = ?", [key])
            if !found.isEmpty { return found }
        }
        return []
    }

    /// All albums, ordered by name.
    package func albums() throws -> [AlbumSummary] { try albums("1", []) }

    private func albums(_ condition: String, _ arguments: StatementArguments) throws -> [AlbumSummary] {
        try read { db in
            try db.rows(
                """
                SELECT id, slug, name, description, private,
                  (SELECT count(*) FROM album_artwork WHERE album_id = album.id AND pending IS NOT 'remove'),
                  sync_state = 'sync_needed' OR id IN (
                    SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NULL),
                  acknowledged, sync_failure, (
                    SELECT json_group_array(failure) FROM album_artwork INDEXED BY album_artwork_pending
                    WHERE album_id = album.id AND pending IS NOT NULL AND failure IS NOT NULL)
                FROM album WHERE ghost = 0 AND deleted = 0 AND \(condition)
                ORDER BY name IS NULL, name COLLATE NOCASE, id
                """, arguments
            ).map { row in
                let albumFailure: String? = row[8]
                let artworkFailures = try db.texts(
                    "SELECT DISTINCT value FROM json_each(?)", [row[9] as String])
                return AlbumSummary(
                    id: row[0], slug: row[1],
                    fields: AlbumFields(name: row[2], description: row[3], isPrivate: row[4]),
                    artworks: row[5],
                    isPending: row[6], isAcknowledged: row[7],
                    failures: [albumFailure].compactMap(\.self) + artworkFailures)
            }
        }
    }

    /// The edits of albums that the server refused, with its reasons. If the album is edited again, they are pushed again.
    public func refusedEdits() throws -> [RefusedEdit] {
        try read { db in
            try db.rows(
                """
                SELECT id, name, NULL, coalesce(sync_failure, '') FROM album WHERE sync_state = 'sync_failed'
                UNION ALL
                SELECT a.id, a.name, m.artwork_id, m.failure FROM album_artwork m JOIN album a ON a.id = m.album_id
                WHERE m.pending IS NOT NULL AND m.failure IS NOT NULL ORDER BY 1, 3
                """
            ).map { RefusedEdit(album: $0[0], name: $0[1], artwork: $0[2], reason: $0[3]) }
        }
    }
}

/// An album with a local edit that waits to be pushed.
package struct PendingAlbum: Sendable, Equatable {
    package let id: String
    package let fields: AlbumFields
    /// Whether the server has acknowledged the album. If not, it has to be created there.
    package let acknowledged: Bool
    /// Whether name, description or privacy changed. Always true for an album that has to be created.
    package let fieldsChanged: Bool
    /// Whether the local edit removed the description.
    package let lostDescription: Bool
    package let isDeleted: Bool
    package let idempotencyKey: String?
    /// The ETag of the server's version on which the edit is based, or with which it was last compared.
    package let baseETag: String?
    /// The creation that was sent without an answer yet; `nil` if none was sent.
    package let sent: SentCreation?
    /// The number of the last edit of the fields. An answer is applied only if it is still the same.
    package let edit: Int
    /// The ids of the added artworks. Edits that were already sent without an answer are last.
    package let added: [String]
    /// The ids of the removed artworks, in the same order.
    package let removed: [String]
}

/// A creation that was sent, so that the server may have created the album.
package struct SentCreation: Sendable, Equatable {
    package let fields: AlbumFields
    /// The value of ``PendingAlbum/edit`` when it was sent.
    package let edit: Int
    /// The last logged change before it was sent. An album that was stored after it may be the created one.
    package let change: Int64
}

extension CatalogueStore {
    /// The albums with edits to push, the oldest edit first. Refused edits are left out.
    package func pendingAlbums() throws -> [PendingAlbum] {
        let isPending = """
            deleted = 0 AND (sync_state = 'sync_needed' OR (acknowledged = 1 AND id IN (
              SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NULL)))
            """
        return try read { try Self.pending(isPending, in: $0) }
    }

    /// The locally deleted albums, which have to be deleted on the server.
    package func pendingAlbumDeletions() throws -> [PendingAlbum] {
        try read { try Self.pending("deleted = 1", in: $0) }
    }

    /// An album with its pending edits; `nil` if it isn't stored.
    package func pendingAlbum(_ id: String) throws -> PendingAlbum? {
        try read { try Self.pendingAlbum(id, in: $0) }
    }

    static func pendingAlbum(_ id: String, in db: Database) throws -> PendingAlbum? {
        try pending("id = ?", [id], in: db).first
    }

    private static func pending(
        _ condition: String, _ arguments: StatementArguments = [], in db: Database
    ) throws -> [PendingAlbum] {
        try db.rows(
            """
            SELECT id, name, description, private, acknowledged, sync_state, deleted, idempotency_key,
              base_etag, edit, sent, json_extract(sent, '$.name'), json_extract(sent, '$.description'),
              json_extract(sent, '$.private'), json_extract(sent, '$.edit'), json_extract(sent, '$.change'),
              description IS NULL AND json_extract(base, '$.description') IS NOT NULL
            FROM album WHERE \(condition) ORDER BY edit, id
            """, arguments
        ).map { row in
            func artworks(_ pending: String) throws -> [String] {
                try db.texts(
                    """
                    SELECT artwork_id FROM album_artwork
                    WHERE album_id = ? AND pending = ? AND failure IS NULL ORDER BY sent, position
                    """, [row[0] as String, pending])
            }
            let sent: SentCreation? =
                (row[10] as String?) == nil
                ? nil
                : SentCreation(
                    fields: AlbumFields(name: row[11], description: row[12], isPrivate: row[13]),
                    edit: row[14], change: row[15])
            return PendingAlbum(
                id: row[0], fields: AlbumFields(name: row[1], description: row[2], isPrivate: row[3]),
                acknowledged: row[4], fieldsChanged: row[5] == "sync_needed", lostDescription: row[16],
                isDeleted: row[6],
                idempotencyKey: row[7], baseETag: row[8], sent: sent, edit: row[9],
                added: try artworks("add"), removed: try artworks("remove"))
        }
    }
}
