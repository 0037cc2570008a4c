import GRDB

/// An album as a person edits it: what it is called, and how its edits stand.
package struct AlbumSummary: Sendable, Equatable {
    package let id: String
    package let slug: String?
    package let fields: AlbumFields
    /// So many, as it was edited here.
    package let artworks: Int
    /// Whether its fields or artworks were edited, and the server doesn't have that yet.
    package let isPending: Bool
    /// Whether the server knows of it.
    package let isAcknowledged: Bool
    /// Why the server refused an edit for good.
    package let failures: [String]
}

/// An edit that the server refused for good.
public struct RefusedEdit: Sendable, Hashable {
    /// The album's id.
    public let album: String
    public let name: String?
    /// The artwork that was to be added or taken out; `nil` for an edit of the album itself.
    public let artwork: String?
    /// What the server said, as text: empty if nothing.
    public let reason: String
}

extension CatalogueStore {
    /// The albums that a key may mean: the one with that id, else those with that slug, else the one that was made here
    /// under that id, else those with that name. Albums that were deleted here are no longer meant.
    package func albums(called key: String) throws -> [AlbumSummary] {
        for column in ["id", "slug", "local_id", "name"] {
            let found = try albums("\(column) = ?", [key])
            if !found.isEmpty { return found }
        }
        return []
    }

    /// All albums, in order of their names.
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
                let own: String? = row[8]
                let others = try db.texts("SELECT DISTINCT value FROM json_each(?)", [row[9] as String])
                return AlbumSummary(
                    id: row[0], slug: row[1],
                    fields: AlbumFields(name: row[2], description: row[3], isPrivate: row[4]),
                    artworks: row[5],
                    isPending: row[6], isAcknowledged: row[7], failures: [own].compactMap(\.self) + others)
            }
        }
    }

    /// Edits of albums that the server refused for good, with its reasons. Editing the album again tries again.
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

/// An album whose local edit waits to be pushed.
package struct PendingAlbum: Sendable, Equatable {
    package let id: String
    package let fields: AlbumFields
    /// Whether the server knows of it: if not, it is to be created there.
    package let acknowledged: Bool
    /// Whether name, description or privacy changed (always, for one to be created).
    package let fieldsChanged: Bool
    /// Whether it had a description on the server and has none here.
    package let lostDescription: Bool
    package let isDeleted: Bool
    package let idempotencyKey: String?
    /// The server's version that the edit is based on, or that it was last weighed against.
    package let baseETag: String?
    /// The creation as it was sent, of which no answer came yet; `nil` if none was sent.
    package let sent: SentCreation?
    /// Counts edits of the fields: an answer is applied only if none came during the request.
    package let edit: Int
    /// Those that were sent already, without an answer, come last.
    package let added: [String]
    package let removed: [String]
}

/// A creation that was sent: the server may have made that album, whether or not it honours keys.
package struct SentCreation: Sendable, Equatable {
    package let fields: AlbumFields
    /// ``PendingAlbum/edit`` as it was sent.
    package let edit: Int
    /// The last change that was logged before: an album that came to be here later may be the one.
    package let change: Int64
}

extension CatalogueStore {
    /// Albums with edits to push, oldest first. What the server refused for good isn't among them.
    package func pendingAlbums() throws -> [PendingAlbum] {
        let isPending = """
            deleted = 0 AND (sync_state = 'sync_needed' OR (acknowledged = 1 AND id IN (
              SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NULL)))
            """
        return try read { try Self.pending(isPending, in: $0) }
    }

    /// Albums that were deleted here, to be deleted on the server.
    package func pendingAlbumDeletions() throws -> [PendingAlbum] {
        try read { try Self.pending("deleted = 1", in: $0) }
    }

    /// One album with what waits of it; `nil` if it isn't here.
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
