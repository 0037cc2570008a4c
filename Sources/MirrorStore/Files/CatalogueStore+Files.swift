import Catalogue
import Foundation
import GRDB

/// The number of pictures, tiles and documents whose file is missing because the server doesn't have it.
///
/// The server's answer to the last request counts.
public struct UnavailableFiles: Sendable, Hashable {
    /// Pictures without a file.
    public var images: Int
    /// Deep-zoom tiles without a file. Their pictures are not counted for them.
    public var tiles: Int
    /// Documents without a file.
    public var documents: Int

    /// Makes the counts. They must not be negative.
    public init(images: Int = 0, tiles: Int = 0, documents: Int = 0) {
        self.images = images
        self.tiles = tiles
        self.documents = documents
    }

    /// The total of the three counts.
    package var sum: Int { images + tiles + documents }
    /// Whether nothing is missing.
    public var isEmpty: Bool { sum == 0 }
}

extension StoredFile {
    /// Reads hash, size, path and type from four columns, starting at `index`; `nil` if the hash is `NULL`.
    init?(row: Row, from index: Int) {
        guard let hash: String = row[index] else { return nil }
        self.init(hash: hash, size: row[index + 1], path: row[index + 2], type: row[index + 3])
    }

    /// Fetches rows of `file`.
    ///
    /// - Parameter rest: the SQL after `FROM file`.
    static func fetchAll(_ db: Database, _ rest: String, _ arguments: StatementArguments = []) throws
        -> [StoredFile]
    {
        try db.rows("SELECT hash, size, path, type FROM file \(rest)", arguments)
            .compactMap { StoredFile(row: $0, from: 0) }
    }

    /// The file with a digest; `nil` if there is no row for it.
    static func find(_ hash: String, in db: Database) throws -> StoredFile? {
        try fetchAll(db, "WHERE hash = ?", [hash]).first
    }

    /// SQL: whether a column's digest begins with the digits `?1`.
    static func begins(_ column: String = "hash") -> String { "\(column) >= ?1 AND \(column) < ?1 || 'g'" }
}

extension CatalogueStore {
    /// The stored file of a picture in one format, or of a document, with its validators.
    package struct KnownFile: Sendable {
        /// Digest of the JSON entry from which the file was requested.
        package let entry: String
        package let etag: String?
        package let lastModified: String?
        /// `nil` if no file was ever stored.
        package let file: StoredFile?
        /// Whether the server doesn't have the file for this entry. ``file`` may then still be that of an earlier entry.
        package let isUnavailable: Bool
        /// Whether the server answered that it is unavailable within the last day.
        package let isRecent: Bool

        /// Reads eight columns, starting at `index`.
        fileprivate init(_ entry: String, _ row: Row, from index: Int) {
            self.entry = entry
            (etag, lastModified) = (row[index], row[index + 1])
            file = StoredFile(row: row, from: index + 2)
            (isUnavailable, isRecent) = (row[index + 6], row[index + 7] ?? false)
        }
    }

    /// The start and end of the last 24 hours. A file that became unavailable within them isn't requested again yet.
    ///
    /// The end matters for times in the future, which were stored before the clock was set back: they don't count.
    var lastDay: StatementArguments {
        let time = now()
        return [Self.text(of: time.addingTimeInterval(-86_400)), Self.text(of: time)]
    }

    /// The stored files of an owner's pictures in one role, by picture id and format. Files of tiles are left out.
    package func imageFiles(of owner: Owner, role: ImageRole) throws -> [String: [String: KnownFile]] {
        try imageFiles(of: owner, role: role, "NOT (\(ImageTile.isTile("f.format")))")
    }

    /// The stored files of an owner's pictures in one role, by picture id and format.
    ///
    /// - Parameters:
    ///   - condition: an SQL condition on a picture `i` and its file `f`.
    ///   - more: the arguments of `condition`.
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

    /// The stored file of a document; `nil` if it was never requested, or the document's entry has changed since.
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

    // MARK: - Unreferenced files

    /// 30 days ago. Files that became unreferenced before this time are removed.
    var releaseLimit: String { Self.text(of: now().addingTimeInterval(-30 * 86_400)) }

    /// Removes the files that have been unreferenced for 30 days, and records since when other files are unreferenced.
    ///
    /// Call it under the run lock, after the commit. Files are kept for 30 days so that deleted objects can be restored.
    /// Only files that lost a reference since the last call (`loose_file`) and files that are old enough are checked.
    ///
    /// - Returns: the number of removed files.
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
            // A time in the future was stored when the clock was wrong. The real time is unknown, so the 30 days start now.
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

    // MARK: - Unavailable files

    /// Counts the pictures, tiles and documents whose file the server didn't have when it was last requested.
    ///
    /// A picture doesn't count if an earlier file of it is stored, if its entry has changed since that request, or if only the
    /// second format of a first picture is missing (``Catalogue/PictureFormats/standard``). Only the rows of unavailable files
    /// are read.
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
        let row = try read { db in
            let isStandard = try Self.wantedFormats(in: db).map(Self.wantedMedia)?.formats == .standard
            return try db.row(isStandard ? "\(sql) AND NOT (\(Self.isSecondFile))" : sql)
        }
        return UnavailableFiles(images: row?[0] ?? 0, tiles: row?[1] ?? 0, documents: row?[2] ?? 0)
    }

    /// SQL: whether a file `f` is in the second format of a first picture, which has a file in another format.
    private static let isSecondFile = """
        f.format = '\(PictureFormats.firstFormat)' AND EXISTS (SELECT 1 FROM image_file o WHERE o.image = f.image
          AND o.hash IS NOT NULL AND o.format <> f.format AND NOT (\(ImageTile.isTile("o.format"))))
        """

    /// The objects of a kind with unavailable files that were last requested at least a day ago, and are due again.
    ///
    /// - Parameters:
    ///   - formats: the wanted picture formats.
    ///   - tiles: whether tiles are wanted, too.
    package func ownersOfDueFiles(
        _ kind: Kind, formats: PictureFormats, tiles: Bool = false
    ) throws -> Set<String> {
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
            ? [] : try ownersMissingFiles(kind, ids: due.sorted(), formats: formats.needed, tiles: tiles)
    }
}
