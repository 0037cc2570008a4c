import Catalogue
import GRDB

/// A picture as it is stored, for fetching its bytes.
package struct StoredImage: Sendable, Hashable {
    package let id: String
    /// The template of its addresses; the last path component is the format's file name.
    package let imageURL: String?
    /// Canonical JSON of the offered formats.
    package let versions: String?
    package let entry: String

    package init(id: String, imageURL: String?, versions: String?, entry: String) {
        self.id = id
        self.imageURL = imageURL
        self.versions = versions
        self.entry = entry
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

extension CatalogueStore {
    /// The pictures of an owner in one role, in order.
    package func storedImages(of owner: Owner, role: ImageRole) throws -> [StoredImage] {
        let column = owner.kind == .artwork ? "artwork_id" : "show_id"
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, image_url, image_versions, entry FROM image WHERE \(column) = ? AND role = ?
                        ORDER BY position
                        """), arguments: [owner.id, role.rawValue]
            ).map { StoredImage(id: $0[0], imageURL: $0[1], versions: $0[2], entry: $0[3]) }
        }
    }

    /// The documents of an owner, those aside that were restored: the server may not have them.
    package func storedDocuments(of owner: Owner) throws -> [StoredDocument] {
        let recently = lastDay
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, etag, uri, size, json, file_entry IS NOT NULL AND (file_unavailable_at IS NULL
                            OR file_unavailable_at > ? AND file_unavailable_at <= ?),
                          file_unavailable_at IS NOT NULL
                        FROM document
                        WHERE \(owner.kind.idColumn) = ? AND kept = 0 ORDER BY id
                        """), arguments: recently + [owner.id]
            ).map {
                StoredDocument(
                    id: $0[0], etag: $0[1], uri: $0[2], size: $0[3], json: $0[4], hasFile: $0[5],
                    isUnavailable: $0[6])
            }
        }
    }

    /// The one partner or user that is stored: its id, the ETag that it was made from, its JSON.
    package func storedSingle(_ kind: Kind) throws -> (id: String, etag: String?, json: String)? {
        try read { db in
            try Row.fetchOne(
                db.cachedStatement(
                    sql:
                        "SELECT id, etag, json FROM \"\(kind.table)\" WHERE json IS NOT NULL ORDER BY id LIMIT 1"
                )
            ).map { ($0[0], $0[1], $0[2]) }
        }
    }

    /// How many objects of each kind a run created, updated and deleted: each object counts once.
    ///
    /// A change of a location's list alone is no update of the location: it is the artworks that moved.
    package func changeCounts(run: Int64) throws -> [Kind: (created: Int, updated: Int, deleted: Int)] {
        try read { try Self.changeCounts(run: run, in: $0) }
    }

    static func changeCounts(run: Int64, in db: Database) throws
        -> [Kind: (created: Int, updated: Int, deleted: Int)]
    {
        let ofRun = """
            \(ChangeLog.isOfRun) AND NOT \(ChangeLog.isForOthersOnly)
              AND evidence IS NOT '\(LoadEntry.evidence)'
            """
        if let created = try createdCounts(ofRun, run, in: db) { return created }
        let counted = """
            SELECT kind, sum(born AND NOT died), sum(altered AND NOT born AND NOT died), sum(died AND NOT born)
            FROM (
              SELECT kind, max(action = 'create') AS born, max(action = 'delete') AS died,
                max(action = 'update' AND NOT (kind = 'location' AND list IS NOT NULL)) AS altered
              FROM change WHERE \(ofRun) GROUP BY kind, owner, id
            ) GROUP BY kind
            """
        let rows = try Row.fetchAll(db.cachedStatement(sql: counted), arguments: [run])
        var counts: [Kind: (created: Int, updated: Int, deleted: Int)] = [:]
        for row in rows {
            guard let kind = Kinds.standard[row[0]] else { continue }
            counts[kind] = (row[1], row[2], row[3])
        }
        return counts
    }

    /// As in a first run: nothing is created twice, so nothing has to be told apart by its id.
    ///
    /// Without an index: in the order of one, SQLite would go through the whole log, however little is of this run.
    ///
    /// - Returns: `nil` if the run did anything but create.
    private static func createdCounts(_ ofRun: String, _ run: Int64, in db: Database) throws
        -> [Kind: (created: Int, updated: Int, deleted: Int)]?
    {
        let sql = """
            SELECT kind, count(*), sum(action <> 'create') FROM change NOT INDEXED WHERE \(ofRun) GROUP BY kind
            """
        var counts: [Kind: (created: Int, updated: Int, deleted: Int)] = [:]
        for row in try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [run]) {
            guard row[2] == 0 else { return nil }
            guard let kind = Kinds.standard[row[0]] else { continue }
            counts[kind] = (row[1], 0, 0)
        }
        return counts
    }

    /// What a run did to each object, in order, for reporting.
    package func changes(run: Int64, action: String, _ body: (_ kind: String, _ id: String) throws -> Void)
        throws
    {
        try read { db in
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT kind, id FROM change
                        WHERE \(ChangeLog.isOfRun) AND action = ?2 AND NOT \(ChangeLog.isForOthersOnly) ORDER BY seq
                        """), arguments: [run, action])
            while let row = try rows.next() { try body(row[0], row[1]) }
        }
    }
}
