import Catalogue
import GRDB

/// Applies a version of an album from the server to a stored album, by the rules of ``AlbumConflict``.
///
/// Idempotent: the version becomes the base of the local edit, so the same version changes and logs nothing a second time.
struct AlbumArrival {
    let log: ChangeLog
    private var db: Database { log.db }

    /// The rule that applies to a version from the server.
    func rule(for record: ObjectRecord) throws -> AlbumConflict.Rule {
        let found = try stored(record.id)
        let server = AlbumConflict.Server.version(
            AlbumConflict.Version(etag: record.etag, body: record.json),
            updatedAt: try Self.milliseconds(record.text(of: "updated_at"), in: db),
            hasSameFields: found.map { AlbumFields(record) == $0.fields } ?? false)
        return AlbumConflict(local: found?.local, server: server).rule
    }

    /// The rule that applies to a deletion on the server.
    func ruleForDeletion(of id: String) throws -> AlbumConflict.Rule {
        AlbumConflict(local: try stored(id)?.local, server: .deleted).rule
    }

    /// Whether a version has the same editable fields as the stored album; also true if the album isn't stored.
    func hasSameFields(_ record: ObjectRecord) throws -> Bool {
        try stored(record.id).map { AlbumFields(record) == $0.fields } ?? true
    }

    /// Applies a version to an album with local edits.
    func apply(_ record: ObjectRecord) throws -> WriteEffect {
        let rule = try rule(for: record)
        if let conflict = rule.conflict {
            try note(conflict, record.id, server: record.json, etag: record.etag)
        }
        guard rule.resolution == .update else {
            // This version becomes the base of the local edit, which is newer.
            try db.run(
                """
                UPDATE album SET etag = ?1, base_etag = ?1, base = ?2, served = ?2, served_etag = ?3, refetch = 0,
                  acknowledged = 1
                WHERE id = ?4 AND (acknowledged = 0 OR etag IS NOT ?1 OR base_etag IS NOT ?1 OR base IS NOT ?2 OR served IS NOT ?2
                  OR served_etag IS NOT ?3 OR refetch)
                """, [record.etag, record.json, EntityTag.strong(of: record.json), record.id])
            return .ignored
        }
        let wasDeleted = try stored(record.id)?.local.isDeleted ?? false
        try settle(record.id)
        let effect = try ObjectWriter(log: log).write(record)
        try db.run(
            "UPDATE album SET served = NULL, served_etag = ? WHERE id = ?",
            [EntityTag.strong(of: record.json), record.id])
        return wasDeleted ? .updated : effect
    }

    /// Drops the local edit of an album's fields. Edits of its artworks stay.
    func settle(_ id: String) throws {
        try db.run(
            """
            UPDATE album SET sync_state = 'in_sync', sync_failure = NULL, acknowledged = 1, deleted = 0,
              base_etag = NULL, base = NULL, idempotency_key = NULL, sent = NULL WHERE id = ?
            """, [id])
    }

    /// Logs a conflict: an album that was changed locally and on the server, with both versions.
    ///
    /// - Parameter server: the server's version as JSON; `nil` if the server deleted the album.
    func note(_ outcome: AlbumConflict.Outcome, _ id: String, server: String? = nil, etag: String? = nil)
        throws
    {
        try db.run(
            """
            INSERT INTO conflict (run, at, kind, id, resolution, local, server, server_etag)
            VALUES (?, ?, 'album', ?, ?, ?, ?, ?)
            """, [log.run, log.at, id, outcome.rawValue, try version(id), server, etag])
    }

    /// The local version of an album as JSON. It includes its artworks if they were edited; `nil` if the album was deleted.
    private func version(_ id: String) throws -> String? {
        try db.text(
            """
            SELECT CASE WHEN deleted THEN NULL
              WHEN EXISTS (SELECT 1 FROM album_artwork WHERE album_id = album.id AND pending IS NOT NULL)
              THEN json_set(json, '$.artwork_ids', json((SELECT json_group_array(artwork_id) FROM (
                SELECT artwork_id FROM album_artwork WHERE album_id = album.id AND pending IS NOT 'remove'
                ORDER BY position))))
              ELSE json END
            FROM album WHERE id = ?
            """, [id])
    }

    // MARK: - The stored album

    private struct Stored {
        let local: AlbumConflict.Local
        let fields: AlbumFields
    }

    private func stored(_ id: String) throws -> Stored? {
        let row = try db.row(
            """
            SELECT sync_state, deleted, refetch, edited_at, base_etag, base, name, description, private,
              EXISTS (SELECT 1 FROM album_artwork WHERE album_id = album.id AND pending IS NOT NULL)
            FROM album WHERE id = ? AND ghost = 0
            """, [id])
        guard let row else { return nil }
        var local = AlbumConflict.Local()
        local.state = AlbumConflict.SyncState(rawValue: row[0]) ?? .syncNeeded
        if local.state == .inSync, row[2] { local.state = .refetchingNeeded }
        local.isDeleted = row[1]
        local.editedAt = try Self.milliseconds(row[3], in: db)
        if let base: String = row[5] { local.base = AlbumConflict.Version(etag: row[4], body: base) }
        local.hasArtworkEdits = row[9]
        return Stored(local: local, fields: AlbumFields(name: row[6], description: row[7], isPrivate: row[8]))
    }

    /// Converts an RFC 3339 timestamp to milliseconds since 1970; `nil` for `nil` and for other text.
    static func milliseconds(_ timestamp: String?, in db: Database) throws -> Int64? {
        guard let timestamp else { return nil }
        return try db.value(
            Int64.self,
            """
            SELECT CAST(round((julianday(upper(?1)) - 2440587.5) * 86400000.0) AS INTEGER)
            WHERE ?1 GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
            """, [timestamp])
    }
}

/// The fields of an album that can be edited.
package struct AlbumFields: Sendable, Equatable {
    package let name: String?
    package let description: String?
    package let isPrivate: Bool?

    package init(name: String?, description: String?, isPrivate: Bool?) {
        self.name = name
        self.description = description
        self.isPrivate = isPrivate
    }

    package init(_ record: ObjectRecord) {
        self.init(
            name: record.text(of: "name"), description: record.text(of: "description"),
            isPrivate: record.value(of: "private").flatMap {
                if case .integer(let number) = $0 { number != 0 } else { nil }
            })
    }

    /// A missing text equals an empty one, and a missing `isPrivate` equals `false`.
    package static func == (left: AlbumFields, right: AlbumFields) -> Bool {
        ExactText.same(left.name ?? "", right.name ?? "")
            && ExactText.same(left.description ?? "", right.description ?? "")
            && (left.isPrivate ?? false) == (right.isPrivate ?? false)
    }
}
