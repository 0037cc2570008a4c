import Catalogue
import GRDB

/// Queries for the files that the database expects, to compare them with the files on the disk.
extension CatalogueStore {
    /// The number and total size in bytes of all expected files, including those that wait to be removed.
    package func fileTotals() throws -> (files: Int, bytes: Int64) {
        let row = try read { try $0.row("SELECT count(*), coalesce(sum(size), 0) FROM file") }
        return (row?[0] ?? 0, row?[1] ?? 0)
    }

    /// The file with a digest; `nil` if there is no row for it.
    package func storedFile(_ hash: String) throws -> StoredFile? {
        try read { try StoredFile.find(hash, in: $0) }
    }

    /// The only file whose digest begins with these digits; `nil` if there is no such file, or more than one.
    package func file(startingWith digits: String) throws -> StoredFile? {
        let files = try read { try StoredFile.fetchAll($0, "WHERE \(StoredFile.begins()) LIMIT 2", [digits]) }
        return files.count == 1 ? files[0] : nil
    }

    /// The next files after a digest, ordered by digest.
    package func files(after hash: String, limit: Int) throws -> [StoredFile] {
        try read { try StoredFile.fetchAll($0, "WHERE hash > ? ORDER BY hash LIMIT ?", [hash, limit]) }
    }

    /// The files in a folder of `media` to which a picture or document refers.
    ///
    /// - Parameter digits: the folder's name, which is the first two digits of the files' digests.
    package func usedFiles(inFolder digits: String) throws -> [StoredFile] {
        try read {
            try StoredFile.fetchAll($0, "WHERE \(StoredFile.begins()) AND released_at IS NULL", [digits])
        }
    }

    /// The number of expected files in each folder of `media`, including those that wait to be removed, ordered by folder name.
    package func fileCounts() throws -> [(folder: String, files: Int)] {
        let sql = "SELECT substr(hash, 1, 2), count(*) FROM file GROUP BY 1 ORDER BY 1"
        return try read { try $0.rows(sql).map { ($0[0], $0[1]) } }
    }

    /// The paths of the files in a folder of `media`, including damaged copies that are kept until they are replaced.
    ///
    /// - Parameter digits: the folder's name, which is the first two digits of the files' digests.
    package func filePaths(inFolder digits: String) throws -> Set<String> {
        let sql = """
            SELECT path FROM file WHERE \(StoredFile.begins())
            UNION SELECT path FROM damaged_file WHERE \(StoredFile.begins())
            """
        return try read { try $0.textSet(sql, [digits]) }
    }

    /// The paths at which damaged copies were found and at which no intact file is expected.
    package func damagedPaths() throws -> Set<String> {
        let sql = """
            SELECT path FROM damaged_file d
            WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.hash = d.hash AND f.path = d.path)
            """
        return try read { try $0.textSet(sql) }
    }

    /// Digests to which pictures or documents refer, but that have no row in `file`. The file may still be on the disk.
    ///
    /// - Parameter digits: only digests that begin with these digits. Default: all.
    package func hashesWithoutFile(_ digits: String = "") throws -> Set<String> {
        let sql = """
            SELECT hash FROM image_file WHERE \(StoredFile.begins()) AND hash NOT IN (SELECT hash FROM file)
            UNION SELECT file FROM document WHERE \(StoredFile.begins("file"))
              AND file NOT IN (SELECT hash FROM file)
            """
        return try read { try $0.textSet(sql, [digits]) }
    }

    /// The first picture, tile or document that uses a file: its kind and id; `nil` if nothing refers to the file.
    package func user(ofFile hash: String) throws -> (kind: String, id: String)? {
        let sql = """
            SELECT iif(\(ImageTile.isTile("f.format")), '\(ImageTile.kind)', 'image'), i.id FROM image_file f JOIN image i ON i.pk = f.image WHERE f.hash = ?1
            UNION ALL SELECT 'document', id FROM document WHERE file = ?1 LIMIT 1
            """
        return try read { try $0.row(sql, [hash]).map { ($0[0], $0[1]) } }
    }

    /// Adds rows for intact files that were found on the disk without a row.
    package func noteFiles(_ files: [StoredFile]) throws {
        try write { db in
            let writer = FileWriter(db: db, at: timestamp())
            for file in files { try writer.ensure(file) }
        }
    }

    /// Deletes the rows of files that are missing on the disk, and marks their pictures and documents as never fetched, so that
    /// the next sync fetches them.
    package func forgetFiles(_ hashes: [String]) throws {
        try write { db in for hash in hashes { try Self.forgetFile(hash, in: db) } }
    }

    /// Deletes the row of a file. A picture that used it gets an empty entry digest, which differs from every real one.
    static func forgetFile(_ hash: String, in db: Database) throws {
        try db.run(
            """
            UPDATE image_file SET hash = NULL, entry = '', etag = NULL, last_modified = NULL,
              fetched_at = NULL WHERE hash = ?
            """, [hash])
        try db.run(
            """
            UPDATE document SET file = NULL, file_entry = NULL, file_etag = NULL,
              file_last_modified = NULL WHERE file = ?
            """, [hash])
        try db.run("DELETE FROM file WHERE hash = ?", [hash])
    }

    /// Whether the file of any picture or document was ever requested.
    package func hasMedia() throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM image_file)
              OR EXISTS (SELECT 1 FROM document WHERE file_entry IS NOT NULL)
            """
        return try read { try $0.isTrue(sql) }
    }
}
