import Catalogue
import GRDB

/// A picture as it is stored, for fetching its bytes.
package struct StoredImage: Sendable, Hashable {
    package let id: String
    package let address: ImageAddress
    /// The digest of its entry in its owner's JSON.
    package let entry: String
    /// Its deep-zoom tiles; `nil` if it has none.
    package var tiles: TilePyramid?
    /// Whether its tile fields are present and unusable, so that ``tiles`` is `nil`.
    package var hasUnusableTiles = false
}

extension StoredImage {
    /// A picture as the server sent it.
    package init(_ image: ImageEntry) {
        self.init(
            id: image.id, address: image.address, entry: EntryDigest.of(image.json.canonicalText),
            tiles: image.tiles, hasUnusableTiles: image.hasUnusableTiles)
    }
}

/// A document as it is stored, for asking whether it changed and for fetching its bytes.
package struct StoredDocument: Sendable, Hashable {
    package let id: String
    package let etag: String?
    package let uri: String?
    package let size: Int64?
    package let json: String
    /// Whether its bytes were fetched since its entry last changed, or the server said within the last day that it doesn't
    /// have them.
    package let hasFile: Bool
    /// Whether the server doesn't have its bytes.
    package let isUnavailable: Bool
}

/// What is stored of an object that an event is about.
package struct StoredBase: Sendable, Hashable {
    /// As the server said it; `nil` for a ghost.
    package let json: String?
    package let etag: String?
    /// Whether the row is what the server said under that ETag, and nothing else: no ghost, not restored, not marked for
    /// refetching, not only referred to, and no local edit in it.
    package let isPlain: Bool

    package init(json: String?, etag: String?, isPlain: Bool) {
        self.json = json
        self.etag = etag
        self.isPlain = isPlain
    }
}

/// What a run needs to know of what is stored, with the versions that it was made from.
extension CatalogueStore {
    /// The pictures of an owner in one role, in order.
    package func storedImages(of owner: Owner, role: ImageRole) throws -> [StoredImage] {
        try read { db in
            try db.rows(
                """
                SELECT id, image_url, image_versions, entry, \(TilePyramid.columns()) FROM image i
                WHERE \(owner.kind.idColumn) = ? AND role = ? ORDER BY position
                """, [owner.id, role.rawValue]
            ).map { row in
                let versions = try (row[2] as String?).map { try JSONValue(parsing: $0).arrayValue ?? [] }
                return StoredImage(
                    id: row[0],
                    address: ImageAddress(template: row[1], versions: versions?.compactMap(\.stringValue)),
                    entry: row[3], tiles: TilePyramid(row: row, from: 4),
                    hasUnusableTiles: TilePyramid.isUnusable(
                        base: row[4], width: row[5], height: row[6], size: row[7]))
            }
        }
    }

    /// The documents of an owner, except restored ones: the server may not have them.
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

    /// The one partner or user that is stored: its id, the ETag that it was made from, its JSON.
    package func storedSingle(_ kind: Kind) throws -> (id: String, etag: String?, json: String)? {
        let sql = "SELECT id, etag, json FROM \"\(kind.table)\" WHERE json IS NOT NULL ORDER BY id LIMIT 1"
        return try read { try $0.row(sql).map { ($0[0], $0[1], $0[2]) } }
    }

    /// What is stored of some objects of a kind, each beside its id; what is not stored is left out.
    package func bases(_ kind: Kind, _ ids: [String]) throws -> [ExactText: StoredBase] {
        try read { db in
            var found: [ExactText: StoredBase] = [:]
            for id in ids {
                guard let row = try StoredRow.find(kind, id, in: db) else { continue }
                let isPlain = !row.ghost && !row.refetch && !row.kept && !row.linked && !row.hasLocalEdit
                found[ExactText(id)] = StoredBase(
                    json: row.ghost ? nil : row.json, etag: row.etag, isPlain: isPlain)
            }
            return found
        }
    }

    /// What is stored of objects that a server names: the ETags that their rows were made from, by id.
    ///
    /// What is only referred to is left out, stored or not; a row that was made from an answer without an ETag has an empty one.
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

    /// Ids of a kind in order, behind one: what a server that has the same must name.
    ///
    /// Ghosts, what was restored, what is only referred to, and albums that no server knows yet are left out.
    package func acknowledgedIDs(_ kind: Kind, after id: String, limit: Int) throws -> [String] {
        let sql = """
            SELECT id FROM "\(kind.table)" WHERE id > ? AND ghost = 0 AND kept = 0 AND linked = 0\(kind.isAcknowledged)
            ORDER BY id LIMIT ?
            """
        return try read { try $0.texts(sql, [id, limit]) }
    }

    /// What is known of a picture that is asked for: its file in that format, if any, and its shape.
    ///
    /// A tile's file counts only if it is of the picture as it is now: a mirror of this mirror would keep a tile of an earlier picture.
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
