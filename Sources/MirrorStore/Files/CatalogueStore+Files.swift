import Catalogue
import Foundation
import GRDB

/// How many pictures, tiles and documents are missing because the server didn't have their bytes when they were last requested.
public struct UnavailableFiles: Sendable, Hashable {
    /// Pictures without a file.
    public var images: Int
    /// Deep-zoom tiles, which count apart from the pictures that they are of.
    public var tiles: Int
    /// Documents without a file.
    public var documents: Int

    /// Counts; none are negative.
    public init(images: Int = 0, tiles: Int = 0, documents: Int = 0) {
        self.images = images
        self.tiles = tiles
        self.documents = documents
    }

    /// All of them.
    package var sum: Int { images + tiles + documents }
    /// Whether nothing is missing.
    public var isEmpty: Bool { sum == 0 }
}

extension StoredFile {
    /// Reads hash, size, path and type from four columns.
    init?(row: Row, from index: Int) {
        guard let hash: String = row[index] else { return nil }
        self.init(hash: hash, size: row[index + 1], path: row[index + 2], type: row[index + 3])
    }

    /// - Parameter rest: what follows `FROM file`.
    static func fetchAll(_ db: Database, _ rest: String, _ arguments: StatementArguments = []) throws
        -> [StoredFile]
    {
        try db.rows("SELECT hash, size, path, type FROM file \(rest)", arguments)
            .compactMap { StoredFile(row: $0, from: 0) }
    }

    /// The file of a digest that has a row.
    static func find(_ hash: String, in db: Database) throws -> StoredFile? {
        try fetchAll(db, "WHERE hash = ?", [hash]).first
    }

    /// SQL: the digests that begin with the digits `?1`.
    static func begins(_ column: String = "hash") -> String { "\(column) >= ?1 AND \(column) < ?1 || 'g'" }
}

extension CatalogueStore {
    /// What is known of the bytes of one picture in one format, or of a document.
    package struct KnownFile: Sendable {
        package let entry: String
        package let etag: String?
        package let lastModified: String?
        /// `nil` if none were ever stored.
        package let file: StoredFile?
        /// Whether the server doesn't have the bytes for this entry: ``file`` is then of an earlier one, if there is any.
        package let isUnavailable: Bool
        /// Whether it said so within the last day.
        package let isRecent: Bool

        /// From nine columns.
        fileprivate init(_ entry: String, _ row: Row, from index: Int) {
            self.entry = entry
            (etag, lastModified) = (row[index], row[index + 1])
            file = StoredFile(row: row, from: index + 2)
            (isUnavailable, isRecent) = (row[index + 6], row[index + 7] ?? false)
        }
    }

    /// From when to when a server said that it doesn't have bytes which need not be requested again yet. What lies ahead was
    /// noted before the clock was set back.
    var lastDay: StatementArguments {
        let time = now()
        return [Self.text(of: time.addingTimeInterval(-86_400)), Self.text(of: time)]
    }

    /// The files that are stored for the pictures of an owner in one role, by picture and format; those of tiles apart.
    package func imageFiles(of owner: Owner, role: ImageRole) throws -> [String: [String: KnownFile]] {
        try imageFiles(of: owner, role: role, "NOT (\(ImageTile.isTile("f.format")))")
    }

    /// - Parameter condition: SQL about a picture `i` and a file `f`.
    func imageFiles(
        of owner: Owner, role: ImageRole, _ condition: String, _ more: StatementArguments = []
    ) throws -> [String: [String: KnownFile]] {
        let sql = """
            SELECT i.id, f.format, f.entry, f.etag, f.last_modified, h.hash, h.size, h.path, h.type,
              f.unavailable_at IS NOT NULL, f.unavailable_at > ? AND f.unavailable_at <= ?
            FROM image i JOIN image_file f ON f.image = i.pk LEFT JOIN file h ON h.hash = f.hash
            WHERE i.\(owner.kind.idColumn) = ? AND i.role = ? AND \(condition)
            """
        let arguments = lastDay + [owner.id, role.rawValue] + more
        return try read { db in
            try db.rows(sql, arguments).reduce(into: [:]) { found, row in
                found[row[0], default: [:]][row[1]] = KnownFile(row[2], row, from: 3)
            }
        }
    }

    /// The file that is stored for a document; `nil` if it was never asked for, or its entry changed since.
    package func documentFile(of owner: Owner, id: String) throws -> KnownFile? {
        let sql = """
            SELECT d.file_entry, d.file_etag, d.file_last_modified, h.hash, h.size, h.path, h.type,
              d.file_unavailable_at IS NOT NULL, d.file_unavailable_at > ? AND d.file_unavailable_at <= ?
            FROM document d LEFT JOIN file h ON h.hash = d.file
            WHERE d.\(owner.kind.idColumn) = ? AND d.id = ? AND d.kept = 0
            """
        let arguments = lastDay + [owner.id, id]
        guard let row = try read({ try $0.row(sql, arguments) }),
            let entry: String = row[0]
        else { return nil }
        return KnownFile(entry, row, from: 1)
    }

    // MARK: - Files that nothing refers to

    /// Files that nothing refers to are kept until then, so that what a run deleted can be restored.
    var releaseLimit: String { Self.text(of: now().addingTimeInterval(-30 * 86_400)) }

    /// Removes the files that nothing has referred to for 30 days, and notes those that nothing refers to from now on.
    ///
    /// Called under the run lock, after the commit. A file is kept that long so that what a run deleted can be restored. Only
    /// what lost a reference since the last time (`loose_file`), and what is old enough, is checked.
    ///
    /// - Returns: how many files went.
    @discardableResult
    package func collectFiles(in files: FileStore) throws -> Int {
        let limit = releaseLimit, at = timestamp()
        let gone: [StoredFile] = try write { db in
            let isUsed = """
                (EXISTS (SELECT 1 FROM image_file WHERE hash = file.hash)
                OR EXISTS (SELECT 1 FROM document WHERE file = file.hash))
                """
            try db.run(
                """
                UPDATE file SET released_at = ?
                WHERE hash IN (SELECT hash FROM loose_file) AND released_at IS NULL AND NOT \(isUsed)
                """, [at])
            try db.run("DELETE FROM loose_file")
            // Noted by a clock that was ahead: when that was, nobody knows, so the 30 days begin now.
            try db.run("UPDATE file SET released_at = ?1 WHERE released_at > ?1", [at])
            let isOld = "WHERE released_at < ? AND NOT \(isUsed)"
            let gone = try StoredFile.fetchAll(db, isOld, [limit])
            try db.run("DELETE FROM file \(isOld)", [limit])
            return gone
        }
        var failure: (any Error)?
        for file in gone {
            do {
                try FileManager.default.removeItem(atPath: files.absolutePath(file))
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                continue
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return gone.count
    }

    // MARK: - Files that the server doesn't have

    /// Pictures, tiles and documents without bytes, as the server said when they were last requested.
    ///
    /// One of which an earlier copy is stored doesn't count, nor does a picture that has changed since. Only rows of files
    /// that the server didn't have are read.
    public func unavailableFiles() throws -> UnavailableFiles {
        let sql = """
            SELECT count(DISTINCT iif(\(ImageTile.isTile("f.format")), NULL, f.image)),
              count(iif(\(ImageTile.isTile("f.format")), 1, NULL)),
              (SELECT count(*) FROM document
               WHERE file_unavailable_at IS NOT NULL AND file IS NULL AND file_entry IS NOT NULL
                 AND uri IS NOT NULL AND kept = 0)
            FROM image_file f CROSS JOIN image i ON i.pk = f.image
            WHERE f.unavailable_at IS NOT NULL AND f.hash IS NULL AND f.entry = i.entry
            """
        let row = try read { try $0.row(sql) }
        return UnavailableFiles(images: row?[0] ?? 0, tiles: row?[1] ?? 0, documents: row?[2] ?? 0)
    }

    /// Objects of a kind with files that the server didn't have a day ago or longer, and that are to be requested again.
    ///
    /// - Parameters:
    ///   - formats: the wanted picture formats; `nil` for the default.
    ///   - tiles: whether tiles are wanted, too.
    package func ownersOfDueFiles(_ kind: Kind, formats: [String]?, tiles: Bool = false) throws -> Set<
        String
    > {
        guard kind.hasFiles else { return [] }
        let recently = lastDay, owner = kind.idColumn
        func isDue(_ column: String) -> String {
            "\(column) IS NOT NULL AND NOT (\(column) > ?1 AND \(column) <= ?2) AND \(owner) IS NOT NULL"
        }
        let pictures = """
            SELECT \(owner) FROM image_file f JOIN image i ON i.pk = f.image WHERE \(isDue("f.unavailable_at"))
            """
        let documents = """
            SELECT \(owner) FROM document WHERE \(isDue("file_unavailable_at")) AND kept = 0
            """
        let sql: [String] = (kind.hasPictures ? [pictures] : []) + (kind.hasDocuments ? [documents] : [])
        let due = try read {
            try $0.textSet(sql.joined(separator: " UNION "), recently)
        }
        // A format that is no longer wanted is never requested.
        return due.isEmpty
            ? [] : try ownersMissingFiles(kind, ids: due.sorted(), formats: formats, tiles: tiles)
    }
}
