import Catalogue
import GRDB

/// Which files there should be, for comparing them with those on the disk.
extension CatalogueStore {
    /// How many files there should be, and their bytes, those that wait to be removed included.
    package func fileTotals() throws -> (files: Int, bytes: Int64) {
        let row = try read { try $0.row("SELECT count(*), coalesce(sum(size), 0) FROM file") }
        return (row?[0] ?? 0, row?[1] ?? 0)
    }

    /// The file of a digest.
    package func storedFile(_ hash: String) throws -> StoredFile? {
        try read { try StoredFile.find(hash, in: $0) }
    }

    /// The one file whose digest begins so; `nil` if there is none, or several.
    package func file(startingWith digits: String) throws -> StoredFile? {
        let files = try read { try StoredFile.fetchAll($0, "WHERE \(StoredFile.begins()) LIMIT 2", [digits]) }
        return files.count == 1 ? files[0] : nil
    }

    /// Files in order of their digests, behind one.
    package func files(after hash: String, limit: Int) throws -> [StoredFile] {
        try read { try StoredFile.fetchAll($0, "WHERE hash > ? ORDER BY hash LIMIT ?", [hash, limit]) }
    }

    /// The files in one folder of `media` that something refers to.
    package func usedFiles(inFolder digits: String) throws -> [StoredFile] {
        try read {
            try StoredFile.fetchAll($0, "WHERE \(StoredFile.begins()) AND released_at IS NULL", [digits])
        }
    }

    /// How many files there should be in each folder of `media`, those that wait to be removed included, by the folder's name.
    package func fileCounts() throws -> [(folder: String, files: Int)] {
        let sql = "SELECT substr(hash, 1, 2), count(*) FROM file GROUP BY 1 ORDER BY 1"
        return try read { try $0.rows(sql).map { ($0[0], $0[1]) } }
    }

    /// The paths of the files in one folder of `media`, which is called by the first digits of their digests; damaged ones
    /// included, which are kept where they are until they are replaced.
    package func filePaths(inFolder digits: String) throws -> Set<String> {
        let sql = """
            SELECT path FROM file WHERE \(StoredFile.begins())
            UNION SELECT path FROM damaged_file WHERE \(StoredFile.begins())
            """
        return try read { try $0.textSet(sql, [digits]) }
    }

    /// Where damaged copies were found: those that are kept in place are no files that there should be.
    package func damagedPaths() throws -> Set<String> {
        let sql = """
            SELECT path FROM damaged_file d
            WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.hash = d.hash AND f.path = d.path)
            """
        return try read { try $0.textSet(sql) }
    }

    /// Digests that pictures and documents name and of which there is no row in `file`, beginning with some digits: the file
    /// may well be on the disk.
    package func hashesWithoutFile(_ digits: String = "") throws -> Set<String> {
        let sql = """
            SELECT hash FROM image_file WHERE \(StoredFile.begins()) AND hash NOT IN (SELECT hash FROM file)
            UNION SELECT file FROM document WHERE \(StoredFile.begins("file"))
              AND file NOT IN (SELECT hash FROM file)
            """
        return try read { try $0.textSet(sql, [digits]) }
    }

    /// What has that file: the first picture or document, and its owner; `nil` if nothing refers to it.
    package func user(ofFile hash: String) throws -> (kind: String, id: String)? {
        let sql = """
            SELECT iif(\(ImageTile.isTile("f.format")), '\(ImageTile.kind)', 'image'), i.id FROM image_file f JOIN image i ON i.pk = f.image WHERE f.hash = ?1
            UNION ALL SELECT 'document', id FROM document WHERE file = ?1 LIMIT 1
            """
        return try read { try $0.row(sql, [hash]).map { ($0[0], $0[1]) } }
    }

    /// Notes files that were found on the disk, intact, and of which there was no row.
    package func noteFiles(_ files: [StoredFile]) throws {
        try write { db in
            let writer = FileWriter(db: db, at: timestamp())
            for file in files { try writer.ensure(file) }
        }
    }

    /// Forgets files that are gone: what had them counts as never fetched, so that the next sync fetches it.
    package func forgetFiles(_ hashes: [String]) throws {
        try write { db in for hash in hashes { try Self.forgetFile(hash, in: db) } }
    }

    /// A picture is marked by an empty digest of its entry, which no entry has.
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

    /// Whether the bytes of any picture or document were ever asked for.
    package func hasMedia() throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM image_file)
              OR EXISTS (SELECT 1 FROM document WHERE file_entry IS NOT NULL)
            """
        return try read { try $0.isTrue(sql) }
    }
}
