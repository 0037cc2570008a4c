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
    /// Whether the server has the album: it listed the album, or confirmed its creation.
    package let isAcknowledged: Bool
    /// The server's reasons for refusing edits.
    package let failures: [String]
}

/// An edit of an album that the server refused. It is pushed again only if the same edit is made again.
///
/// - A refused edit of the album's fields is pushed with the next edit of its fields.
/// - A refused addition or removal of an artwork is pushed if the artwork is added or removed again.
/// - A refused creation is pushed with the next edit of the album's fields or artworks.
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
    /// The key is compared with these columns, in this order: the id, the slug, the id under which the album was created
    /// locally, the name. The first column with a match decides, so a name is compared only if no id or slug is equal.
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

    /// The edits of albums that the server refused, with its reasons (``RefusedEdit``).
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
    /// Whether the server has the album. If not, the album has to be created on the server.
    package let acknowledged: Bool
    /// Whether name, description or privacy changed. Always true for an album that has to be created.
    package let fieldsChanged: Bool
    /// Whether the local edit removed a description that the server's version has.
    package let lostDescription: Bool
    package let isDeleted: Bool
    package let idempotencyKey: String?
    /// The ETag of the server's version on which the edit is based, or with which it was last compared.
    package let baseETag: String?
    /// The request to create the album that was sent and not answered; `nil` if none was sent.
    package let sent: SentCreation?
    /// The number of the last edit of the fields. When the server answers, the stored number is compared with this one: if they
    /// differ, the album was edited again in the meantime.
    package let editNumber: Int
    /// The ids of the added artworks. Those that were already sent, but not answered, are last.
    package let added: [String]
    /// The ids of the removed artworks, in the same order.
    package let removed: [String]
}

/// A request to create an album that was sent and not answered. The server may have created the album.
package struct SentCreation: Sendable, Equatable {
    package let fields: AlbumFields
    /// The value of ``PendingAlbum/editNumber`` when the request was sent.
    package let editNumber: Int
    /// The number of the last entry of the change log before the request was sent. An album that was stored later may be the one
    /// that the server created.
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
                    editNumber: row[14], change: row[15])
            return PendingAlbum(
                id: row[0], fields: AlbumFields(name: row[1], description: row[2], isPrivate: row[3]),
                acknowledged: row[4], fieldsChanged: row[5] == "sync_needed", lostDescription: row[16],
                isDeleted: row[6],
                idempotencyKey: row[7], baseETag: row[8], sent: sent, editNumber: row[9],
                added: try artworks("add"), removed: try artworks("remove"))
        }
    }
}
