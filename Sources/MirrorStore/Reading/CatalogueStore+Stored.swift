import Catalogue
import GRDB

/// The fields of a picture that are needed to fetch its files.
package struct StoredImage: Sendable, Hashable {
    package let id: String
    package let address: ImageAddress
    /// The digest of the picture's entry in its owner's JSON.
    package let entry: String
    /// Its deep-zoom tiles; `nil` if it has none.
    package var tiles: TilePyramid?
    /// Whether it has tile fields that can't be used, so that ``tiles`` is `nil`.
    package var hasUnusableTiles = false
    /// Whether its source no longer offers it, and the mirror keeps it.
    package var isWithdrawn = false
    /// Whether the server marks it as its owner's picture.
    package var isDefault = false
}

extension [StoredImage] {
    /// The id of the owner's first picture: the one that the server marks, or else the first one; `nil` if there is none.
    package var firstID: String? { (first(where: \.isDefault) ?? first)?.id }
}

extension StoredImage {
    /// Reads the fields of a picture that the server sent.
    package init(_ image: ImageEntry) {
        self.init(
            id: image.id, address: image.address, entry: EntryDigest.of(image.fileText),
            tiles: image.tiles, hasUnusableTiles: image.hasUnusableTiles, isWithdrawn: image.isWithdrawn,
            isDefault: image.isDefault)
    }
}

/// The fields of a document that are needed to request it and its file again.
package struct StoredDocument: Sendable, Hashable {
    package let id: String
    package let etag: String?
    package let uri: String?
    package let size: Int64?
    package let json: String
    /// Whether the file was fetched since the entry last changed, or was reported as unavailable within the last day.
    package let hasFile: Bool
    /// Whether the server doesn't have the file.
    package let isUnavailable: Bool
}

/// The stored version of an object to which an event refers.
package struct StoredBase: Sendable, Hashable {
    /// The JSON as the server sent it; `nil` for a ghost.
    package let json: String?
    package let etag: String?
    /// Whether the row is exactly what the server sent with that ETag: no ghost, not kept, not linked, not marked for
    /// refetching, and without local edits.
    package let isUnmodified: Bool

    package init(json: String?, etag: String?, isUnmodified: Bool) {
        self.json = json
        self.etag = etag
        self.isUnmodified = isUnmodified
    }
}

/// What a run reads from the store to decide what to request: stored parts, and the ETags from which rows were made.
extension CatalogueStore {
    /// The pictures of an owner in one role, in order.
    package func storedImages(of owner: Owner, role: ImageRole) throws -> [StoredImage] {
        try read { db in
            try db.rows(
                """
                SELECT id, image_url, image_versions, entry, image_urls, \(TilePyramid.columns()),
                  json_extract(json, '$.\(ImageEntry.withdrawn)') IS 1 AS is_withdrawn, is_default IS 1 AS is_first
                FROM image i
                WHERE \(owner.kind.idColumn) = ? AND role = ? ORDER BY position
                """, [owner.id, role.rawValue]
            ).map { row in
                let versions = try (row[2] as String?).map { try JSONValue(parsing: $0).arrayValue ?? [] }
                let urls = try (row[4] as String?).map { try JSONValue(parsing: $0) }
                return StoredImage(
                    id: row[0],
                    address: ImageAddress(
                        template: row[1], versions: versions?.compactMap(\.stringValue),
                        urls: ImageAddress.urls(urls)),
                    entry: row[3], tiles: TilePyramid(row: row, from: 5),
                    hasUnusableTiles: TilePyramid.isUnusable(
                        base: row[5], width: row[6], height: row[7], size: row[8]),
                    isWithdrawn: row["is_withdrawn"], isDefault: row["is_first"])
            }
        }
    }

    /// The JSON of an artwork's pictures that have a stored file, in order.
    package func picturesWithFiles(ofArtwork id: String) throws -> [JSONObject] {
        let texts = try read { db in
            try db.texts(
                """
                SELECT i.json FROM image i WHERE i.artwork_id = ? AND i.role = '\(ImageRole.picture.rawValue)'
                  AND EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.hash IS NOT NULL)
                ORDER BY i.position
                """, [id])
        }
        return try texts.compactMap { try JSONValue(parsing: $0).objectValue }
    }

    /// The artworks with a picture that the source no longer offers (``StoredImage/isWithdrawn``), in the order of ids. Kept
    /// and linked artworks are left out, and those that are marked for refetching.
    ///
    /// - Parameters:
    ///   - id: only artworks after this id.
    ///   - limit: the maximum number.
    package func artworksWithWithdrawnPictures(
        after id: String, limit: Int
    ) throws -> [(id: String, json: String, etag: String?)] {
        try read { db in
            try db.rows(
                """
                SELECT o.id, o.json, o.etag FROM artwork o
                WHERE o.id > ? AND o.ghost = 0 AND o.kept = 0 AND o.linked = 0 AND o.refetch = 0
                  AND EXISTS (SELECT 1 FROM image i
                    WHERE i.artwork_id = o.id AND json_extract(i.json, '$.\(ImageEntry.withdrawn)') IS 1)
                ORDER BY o.id LIMIT ?
                """, [id, limit]
            ).map { ($0[0], $0[1], $0[2]) }
        }
    }

    /// The documents of an owner. Kept documents are left out, because the server may not have them.
    package func storedDocuments(of owner: Owner) throws -> [StoredDocument] {
        let recently = lastDay
        return try read { db in
            try db.rows(
                """
                SELECT id, etag, uri, size, json, file_entry IS NOT NULL AND (file_unavailable_at IS NULL
                    OR file_unavailable_at > ? AND file_unavailable_at <= ?),
                  file_unavailable_at IS NOT NULL
                FROM document WHERE \(owner.kind.idColumn) = ? AND kept = 0 ORDER BY id
                """, recently + [owner.id]
            ).map {
                StoredDocument(
                    id: $0[0], etag: $0[1], uri: $0[2], size: $0[3], json: $0[4], hasFile: $0[5],
                    isUnavailable: $0[6])
            }
        }
    }

    /// The stored partner or user: its id, the ETag from which its row was made, and its JSON. A mirror has one of each.
    package func storedSingle(_ kind: Kind) throws -> (id: String, etag: String?, json: String)? {
        let sql = "SELECT id, etag, json FROM \"\(kind.table)\" WHERE json IS NOT NULL ORDER BY id LIMIT 1"
        return try read { try $0.row(sql).map { ($0[0], $0[1], $0[2]) } }
    }

    /// The stored versions of objects of a kind, by id. Ids that aren't in the store are left out.
    package func bases(_ kind: Kind, _ ids: [String]) throws -> [ExactText: StoredBase] {
        try read { db in
            var found: [ExactText: StoredBase] = [:]
            for id in ids {
                guard let row = try StoredRow.find(kind, id, in: db) else { continue }
                let isUnmodified = !row.ghost && !row.refetch && !row.kept && !row.linked && !row.hasLocalEdit
                found[ExactText(id)] = StoredBase(
                    json: row.ghost ? nil : row.json, etag: row.etag, isUnmodified: isUnmodified)
            }
            return found
        }
    }

    /// The ETags from which the rows of objects were made, by id.
    ///
    /// Ghosts and linked objects are left out. The ETag is empty for a row that was made from an answer without one.
    package func storedETags(_ kind: Kind, ids: [String]) throws -> [ExactText: String] {
        try read { db in
            let rows = try db.rows(
                """
                SELECT id, coalesce(etag, '') FROM "\(kind.table)"
                WHERE ghost = 0 AND linked = 0 AND id IN (SELECT value FROM json_each(?))
                """, [JSONValue.canonicalText(of: ids)])
            return Dictionary(rows.map { (ExactText($0[0]), $0[1]) }, uniquingKeysWith: { $1 })
        }
    }

    /// The next ids of a kind after an id, in order. A server with the same content has objects with these ids.
    ///
    /// Ghosts, kept and linked objects, and albums that no server has acknowledged yet are left out.
    package func acknowledgedIDs(_ kind: Kind, after id: String, limit: Int) throws -> [String] {
        let sql = """
            SELECT id FROM "\(kind.table)" WHERE id > ? AND ghost = 0 AND kept = 0 AND linked = 0\(kind.isAcknowledged)
            ORDER BY id LIMIT ?
            """
        return try read { try $0.texts(sql, [id, limit]) }
    }

    /// The file of a picture in a format, and the picture's width by its height, to answer a request for it; `nil` if there is no
    /// such picture. The ratio is for drawings, which stand for files of catalogues: these give `aspect_ratio` as width by height,
    /// unlike servers.
    ///
    /// The file of a tile is `nil` if it belongs to an earlier version of the picture. Otherwise a mirror of this mirror would
    /// keep the outdated tile.
    package func picture(of owner: Owner, image: String, format: String) throws -> (
        file: StoredFile?, aspectRatio: Double?
    )? {
        let column = owner.kind.idColumn
        return try read { db in
            try db.row(
                """
                SELECT h.hash, h.size, h.path, h.type,
                  coalesce(CAST(i.original_width AS REAL) / nullif(i.original_height, 0), i.aspect_ratio)
                FROM image i LEFT JOIN image_file f ON f.image = i.pk AND f.format = ?
                  AND (NOT (\(ImageTile.isTile("f.format"))) OR f.entry = i.entry AND f.unavailable_at IS NULL)
                LEFT JOIN file h ON h.hash = f.hash WHERE i.\(column) = ? AND i.id = ?
                  AND EXISTS (SELECT 1 FROM "\(owner.kind.table)" o WHERE o.id = i.\(column) AND o.kept = 0)
                ORDER BY h.hash IS NULL LIMIT 1
                """, [format, owner.id, image]
            ).map { (StoredFile(row: $0, from: 0), $0[4]) }
        }
    }
}
