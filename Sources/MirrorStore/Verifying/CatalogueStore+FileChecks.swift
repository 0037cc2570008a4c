import Foundation
import GRDB

extension CatalogueStore {
    /// Files that nothing refers to are kept until then, so that what a run deleted can be restored.
    var releaseLimit: String {
        Self.text(of: now().addingTimeInterval(-30 * 86_400))
    }

    /// How many files there should be, and their bytes, those that wait to be removed included.
    package func fileTotals() throws -> (files: Int, bytes: Int64) {
        try read { db in
            let row = try Row.fetchOne(db, sql: "SELECT count(*), coalesce(sum(size), 0) FROM file")
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// Files in order of their digests, behind one.
    package func files(after hash: String, limit: Int) throws -> [StoredFile] {
        try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: "SELECT hash, size, path, type FROM file WHERE hash > ? ORDER BY hash LIMIT ?"),
                arguments: [hash, limit]
            ).compactMap { StoredFile(row: $0, from: 0) }
        }
    }

    /// The paths of the files in one folder of `media`, which is called by the first digits of their digests; damaged ones
    /// included, which are kept where they are until they are replaced.
    package func filePaths(inFolder digits: String) throws -> Set<String> {
        try read { db in
            try String.fetchSet(
                db.cachedStatement(
                    sql: """
                        SELECT path FROM file WHERE hash >= ?1 AND hash < ?1 || 'g'
                        UNION SELECT path FROM damaged_file WHERE hash >= ?1 AND hash < ?1 || 'g'
                        """), arguments: [digits])
        }
    }

    /// Digests that pictures and documents name and of which there is no row in `file`, beginning with some digits: the file
    /// may well be on the disk.
    package func hashesWithoutFile(_ digits: String = "") throws -> Set<String> {
        try read { db in
            try String.fetchSet(
                db.cachedStatement(
                    sql: """
                        SELECT hash FROM image_file WHERE hash >= ?1 AND hash < ?1 || 'g'
                          AND hash NOT IN (SELECT hash FROM file)
                        UNION SELECT file FROM document WHERE file >= ?1 AND file < ?1 || 'g'
                          AND file NOT IN (SELECT hash FROM file)
                        """), arguments: [digits])
        }
    }

    /// Notes files that were found on the disk, intact, and of which there was no row.
    package func noteFiles(_ files: [StoredFile]) throws {
        try write { db in
            let writer = FileWriter(db: db, at: timestamp())
            for file in files { try writer.ensure(file) }
        }
    }

    /// How many files there should be in each folder of `media`, those that wait to be removed included, by the folder's name.
    package func fileCounts() throws -> [(folder: String, files: Int)] {
        try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql:
                        "SELECT substr(hash, 1, 2), count(*) FROM file GROUP BY 1 ORDER BY 1"
                )
            ).map { ($0[0], $0[1]) }
        }
    }

    /// Where damaged copies were found: those that are kept in place are no files that there should be.
    package func damagedPaths() throws -> Set<String> {
        try read { db in
            try String.fetchSet(
                db.cachedStatement(
                    sql: """
                        SELECT path FROM damaged_file d
                        WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.hash = d.hash AND f.path = d.path)
                        """))
        }
    }

    /// The files in one folder of `media` that something refers to.
    package func usedFiles(inFolder digits: String) throws -> [(hash: String, path: String)] {
        try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql:
                        "SELECT hash, path FROM file WHERE hash >= ?1 AND hash < ?1 || 'g' AND released_at IS NULL"
                ),
                arguments: [digits]
            ).map { ($0[0], $0[1]) }
        }
    }

    /// What has that file: the first picture or document, and its owner; `nil` if nothing refers to it.
    package func user(ofFile hash: String) throws -> (kind: String, id: String)? {
        try read { db in
            let image = try db.cachedStatement(
                sql: """
                    SELECT 'image', i.id FROM image_file f JOIN image i ON i.pk = f.image WHERE f.hash = ?1
                    UNION ALL SELECT 'document', id FROM document WHERE file = ?1 LIMIT 1
                    """)
            return try Row.fetchOne(image, arguments: [hash]).map { ($0[0], $0[1]) }
        }
    }

    /// Forgets files that are gone: what had them counts as never fetched, so that the next sync fetches it.
    package func forgetFiles(_ hashes: [String]) throws {
        try write { db in for hash in hashes { try Self.forgetFile(hash, in: db) } }
    }

    /// A picture is marked by an empty digest of its entry, which no entry has.
    static func forgetFile(_ hash: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE image_file SET hash = NULL, entry = '', etag = NULL, last_modified = NULL,
                  fetched_at = NULL WHERE hash = ?
                """
        ).execute(arguments: [hash])
        try db.cachedStatement(
            sql: """
                UPDATE document SET file = NULL, file_entry = NULL, file_etag = NULL,
                  file_last_modified = NULL WHERE file = ?
                """
        ).execute(arguments: [hash])
        try db.cachedStatement(sql: "DELETE FROM file WHERE hash = ?").execute(arguments: [hash])
    }

    /// The picture formats that were wanted when the mirror was last whole: `default`, or names separated by commas.
    /// `nil` if that is not known.
    package func wantedFormats() throws -> String? {
        try read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT clean_formats FROM list WHERE owner_kind = 'partner' AND clean_formats IS NOT NULL
                    ORDER BY name = 'artworks' DESC LIMIT 1
                    """)
        }
    }

    /// Whether the bytes of any picture or document were ever asked for.
    package func hasMedia() throws -> Bool {
        try read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM image_file)
                      OR EXISTS (SELECT 1 FROM document WHERE file_entry IS NOT NULL)
                    """) ?? false
        }
    }
}
