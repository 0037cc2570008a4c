import Catalogue
import GRDB

/// Notes which bytes a picture or document has. The file itself has its final name already.
///
/// Bytes that the server doesn't have any more stay, as the last copy. When it said so is noted where there are none, and
/// where those that are here belong to an earlier entry: these are requested again after a day.
struct FileWriter {
    let db: Database
    /// When the server was asked.
    let at: String

    func write(_ record: ImageFileRecord) throws -> WriteEffect {
        let column = record.owner.kind == .artwork ? "artwork_id" : "show_id"
        let find = try db.cachedStatement(
            sql: "SELECT pk FROM image WHERE \(column) = ? AND role = ? AND id = ?")
        guard
            let image = try Int64.fetchOne(
                find, arguments: [record.owner.id, record.role.rawValue, record.image])
        else { return .ignored }
        try ensure(record.file)
        try db.cachedStatement(
            sql: """
                INSERT INTO image_file (image, format, hash, entry, etag, last_modified, fetched_at, unavailable_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (image, format) DO UPDATE SET hash = coalesce(excluded.hash, hash),
                  unavailable_at = CASE WHEN hash IS NULL OR entry <> excluded.entry OR unavailable_at IS NOT NULL
                    THEN excluded.unavailable_at END,
                  entry = excluded.entry, etag = excluded.etag, last_modified = excluded.last_modified,
                  fetched_at = excluded.fetched_at
                """
        ).execute(arguments: [
            image, record.format, record.file?.hash, record.entry, record.etag, record.lastModified,
            at, record.isUnavailable ? at : nil,
        ])
        guard record.isUnavailable else { return .updated }
        let isHere = try db.cachedStatement(
            sql: "SELECT hash IS NOT NULL FROM image_file WHERE image = ? AND format = ?")
        return try Bool.fetchOne(isHere, arguments: [image, record.format]) == true ? .unchanged : .updated
    }

    func write(_ record: DocumentFileRecord) throws -> WriteEffect {
        let column = DocumentWriter.column(record.owner)
        try ensure(record.file)
        try db.cachedStatement(
            sql: """
                UPDATE document SET file = coalesce(?1, file), file_etag = ?3, file_last_modified = ?4,
                  file_unavailable_at = CASE WHEN file IS NULL OR file_entry IS NOT ?2 OR file_unavailable_at IS NOT NULL
                    THEN ?5 END,
                  file_entry = ?2
                WHERE \(column) = ?6 AND id = ?7
                """
        ).execute(arguments: [
            record.file?.hash, record.entry, record.etag, record.lastModified,
            record.isUnavailable ? at : nil, record.owner.id, record.document,
        ])
        guard db.changesCount > 0 else { return .ignored }
        guard record.isUnavailable else { return .updated }
        let isHere = try db.cachedStatement(
            sql: "SELECT file IS NOT NULL FROM document WHERE \(column) = ? AND id = ?")
        let found = try Bool.fetchOne(isHere, arguments: [record.owner.id, record.document])
        return found == true ? .unchanged : .updated
    }

    func ensure(_ file: StoredFile?) throws {
        guard let file else { return }
        try db.cachedStatement(
            sql: """
                INSERT INTO file (hash, size, path, type) VALUES (?, ?, ?, ?)
                ON CONFLICT (hash) DO UPDATE SET released_at = NULL
                """
        ).execute(arguments: [file.hash, file.size, file.path, file.type])
    }
}
