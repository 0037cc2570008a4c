import Catalogue
import GRDB

/// How many pictures and documents are missing because the server didn't have their bytes when they were last requested.
public struct UnavailableFiles: Sendable, Hashable {
    public var images: Int
    public var documents: Int

    public init(images: Int = 0, documents: Int = 0) {
        self.images = images
        self.documents = documents
    }

    public var isEmpty: Bool { images == 0 && documents == 0 }
}

extension CatalogueStore {
    /// Pictures and documents without bytes, as the server said when they were last requested.
    ///
    /// One of which an earlier copy is stored doesn't count, nor does a picture that has changed since. Only rows of files
    /// that the server didn't have are read.
    public func unavailableFiles() throws -> UnavailableFiles {
        try read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT
                          (SELECT count(DISTINCT f.image) FROM image_file f CROSS JOIN image i ON i.pk = f.image
                           WHERE f.unavailable_at IS NOT NULL AND f.hash IS NULL AND f.entry = i.entry),
                          (SELECT count(*) FROM document
                           WHERE file_unavailable_at IS NOT NULL AND file IS NULL AND file_entry IS NOT NULL
                             AND uri IS NOT NULL AND kept = 0)
                        """))
            return UnavailableFiles(images: row?[0] ?? 0, documents: row?[1] ?? 0)
        }
    }

    /// Objects of a kind with files that the server didn't have a day ago or longer, and that are to be requested again.
    ///
    /// - Parameter formats: the wanted picture formats; `nil` for the default.
    package func ownersOfDueFiles(_ kind: Kind, formats: [String]?) throws -> Set<String> {
        guard kind.hasFiles else { return [] }
        let recently = lastDay, owner = "\(kind.name)_id"
        let pictures = """
            SELECT i.\(owner) FROM image_file f JOIN image i ON i.pk = f.image
            WHERE f.unavailable_at IS NOT NULL AND NOT (f.unavailable_at > ?1 AND f.unavailable_at <= ?2)
              AND i.\(owner) IS NOT NULL
            """
        let documents = """
            SELECT \(owner) FROM document
            WHERE file_unavailable_at IS NOT NULL AND NOT (file_unavailable_at > ?1 AND file_unavailable_at <= ?2)
              AND \(owner) IS NOT NULL AND kept = 0
            """
        let due = try read { db in
            let sql: [String] = (kind.hasPictures ? [pictures] : []) + (kind.hasDocuments ? [documents] : [])
            return try String.fetchSet(
                db.cachedStatement(sql: sql.joined(separator: " UNION ")), arguments: recently)
        }
        // A format that is no longer wanted is never requested.
        return due.isEmpty ? [] : try ownersMissingFiles(kind, ids: due.sorted(), formats: formats)
    }

    /// The one file whose digest begins so; `nil` if there is none, or several.
    package func file(startingWith digits: String) throws -> StoredFile? {
        try read { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql:
                        "SELECT hash, size, path, type FROM file WHERE hash >= ?1 AND hash < ?1 || 'g' LIMIT 2"
                ),
                arguments: [digits])
            return rows.count == 1 ? StoredFile(row: rows[0], from: 0) : nil
        }
    }
}
