import GRDB

/// Notes which bytes a picture or document has. The file itself has its final name already.
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
                INSERT INTO image_file (image, format, hash, entry, etag, last_modified, fetched_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (image, format) DO UPDATE SET hash = coalesce(excluded.hash, hash),
                  entry = excluded.entry, etag = excluded.etag, last_modified = excluded.last_modified,
                  fetched_at = excluded.fetched_at
                """
        ).execute(arguments: [
            image, record.format, record.file?.hash, record.entry, record.etag, record.lastModified,
            at,
        ])
        return .updated
    }

    func write(_ record: DocumentFileRecord) throws -> WriteEffect {
        try ensure(record.file)
        try db.cachedStatement(
            sql: """
                UPDATE document SET file = coalesce(?, file), file_entry = ?, file_etag = ?, file_last_modified = ?
                WHERE \(DocumentWriter.column(record.owner)) = ? AND id = ?
                """
        ).execute(arguments: [
            record.file?.hash, record.entry, record.etag, record.lastModified, record.owner.id,
            record.document,
        ])
        return db.changesCount > 0 ? .updated : .ignored
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
