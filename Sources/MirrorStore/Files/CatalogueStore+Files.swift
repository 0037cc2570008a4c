import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// What is known of the bytes of one picture in one format.
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
    }

    /// From when to when a server said that it doesn't have bytes which need not be requested again yet. What lies ahead was
    /// noted before the clock was set back.
    var lastDay: StatementArguments {
        let time = now()
        return [Self.text(of: time.addingTimeInterval(-86_400)), Self.text(of: time)]
    }

    /// The files that are stored for the pictures of an owner, by role, picture and format.
    package func imageFiles(of owner: Owner, role: ImageRole) throws -> [String: [String: KnownFile]] {
        let column = owner.kind == .artwork ? "artwork_id" : "show_id", recently = lastDay
        return try read { db in
            var found: [String: [String: KnownFile]] = [:]
            let statement = try db.cachedStatement(
                sql: """
                    SELECT i.id, f.format, f.entry, f.etag, f.last_modified, h.hash, h.size, h.path, h.type,
                      f.unavailable_at IS NOT NULL, f.unavailable_at > ? AND f.unavailable_at <= ?
                    FROM image i JOIN image_file f ON f.image = i.pk LEFT JOIN file h ON h.hash = f.hash
                    WHERE i.\(column) = ? AND i.role = ?
                    """)
            for row in try Row.fetchAll(statement, arguments: recently + [owner.id, role.rawValue]) {
                found[row[0], default: [:]][row[1]] = KnownFile(
                    entry: row[2], etag: row[3], lastModified: row[4], file: StoredFile(row: row, from: 5),
                    isUnavailable: row[9], isRecent: row[10] ?? false)
            }
            return found
        }
    }

    /// The file that is stored for a document; `nil` if it was never asked for, or its entry changed since.
    package func documentFile(of owner: Owner, id: String) throws -> KnownFile? {
        let recently = lastDay
        return try read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT d.file_entry, d.file_etag, d.file_last_modified, h.hash, h.size, h.path, h.type,
                      d.file_unavailable_at IS NOT NULL, d.file_unavailable_at > ? AND d.file_unavailable_at <= ?
                    FROM document d LEFT JOIN file h ON h.hash = d.file
                    WHERE d.\(owner.kind.idColumn) = ? AND d.id = ? AND d.kept = 0
                    """)
            let row = try Row.fetchOne(statement, arguments: recently + [owner.id, id])
            guard let row, let entry: String = row[0] else { return nil }
            return KnownFile(
                entry: entry, etag: row[1], lastModified: row[2], file: StoredFile(row: row, from: 3),
                isUnavailable: row[7], isRecent: row[8] ?? false)
        }
    }

    /// Removes the files that nothing has referred to for 30 days, and notes those that nothing refers to from now on.
    ///
    /// Called under the run lock, after the commit. A file is kept that long so that what a run deleted can be restored. Only
    /// what lost a reference since the last time is looked at (`loose_file`), and what is old enough.
    ///
    /// - Returns: how many files went.
    @discardableResult
    package func collectFiles(in files: FileStore) throws -> Int {
        let limit = releaseLimit
        let at = timestamp()
        let gone: [StoredFile] = try write { db in
            let used = """
                EXISTS (SELECT 1 FROM image_file WHERE hash = file.hash)
                OR EXISTS (SELECT 1 FROM document WHERE file = file.hash)
                """
            try db.execute(
                sql: """
                    UPDATE file SET released_at = ?
                    WHERE hash IN (SELECT hash FROM loose_file) AND released_at IS NULL AND NOT (\(used))
                    """, arguments: [at])
            try db.execute(sql: "DELETE FROM loose_file")
            // Noted by a clock that was ahead: when that was, nobody knows, so the 30 days begin now.
            try db.execute(sql: "UPDATE file SET released_at = ?1 WHERE released_at > ?1", arguments: [at])
            let rows = try Row.fetchAll(
                db, sql: "SELECT hash, size, path, type FROM file WHERE released_at < ? AND NOT (\(used))",
                arguments: [limit])
            try db.execute(
                sql: "DELETE FROM file WHERE released_at < ? AND NOT (\(used))", arguments: [limit])
            return rows.compactMap { StoredFile(row: $0, from: 0) }
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
}

extension StoredFile {
    /// Reads hash, size, path and type from four columns.
    init?(row: Row, from index: Int) {
        guard let hash: String = row[index] else { return nil }
        self.init(hash: hash, size: row[index + 1], path: row[index + 2], type: row[index + 3])
    }
}
