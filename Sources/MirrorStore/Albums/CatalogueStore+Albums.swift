import GRDB

/// An album as a person edits it: what it is called, and how its edits stand.
package struct AlbumSummary: Sendable, Hashable {
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
package struct RefusedEdit: Sendable, Hashable {
    package let album: String
    package let name: String?
    /// The artwork that was to be added or taken out; `nil` for an edit of the album itself.
    package let artwork: String?
    package let reason: String
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

    /// What the server refused for good, with its reasons.
    package func refusedEdits() throws -> [RefusedEdit] {
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
