import Catalogue
import GRDB

/// Writes documents.
struct DocumentWriter {
    let log: ChangeLog

    func write(_ record: DocumentRecord) throws -> WriteEffect {
        let db = log.db, owner = record.owner
        guard try db.isTrue("SELECT 1 FROM \"\(owner.kind.table)\" WHERE id = ?", [owner.id]) else {
            return .ignored
        }
        let found = try db.row(
            """
            SELECT pk, json, etag, refetch OR kept, kept, file, file_entry FROM document
            WHERE \(owner.kind.idColumn) = ? AND id = ?
            """, [owner.id, record.id])
        if let found, ExactText.same(found[1], record.json) {
            let wasKept: Bool = found[4]
            if found[2] != record.etag || found[3] {
                try db.run(
                    "UPDATE document SET etag = ?, refetch = 0, kept = 0 WHERE pk = ?",
                    [record.etag, found[0] as Int64])
            }
            guard wasKept else { return .unchanged }
            try log.note(
                .update, .document, record.id, owner: Self.name(owner), before: found[1],
                evidence: .listedAgain)
            return .updated
        }
        try writeRow(record, number: found?[0])
        try log.note(
            found == nil ? .create : .update, .document, record.id, owner: Self.name(owner),
            before: found?[1])
        if let found, let file: String = found[5] {
            try log.noteFiles(
                LostFile.json([LostFile(role: "document", id: record.id, hash: file, entry: found[6])]))
        }
        return found == nil ? .created : .updated
    }

    /// - Parameter number: the row's number; `nil` for a new document.
    private func writeRow(_ record: DocumentRecord, number: Int64?) throws {
        let columns = Document.columns.map(\.name) + ["json", "etag", "served", "served_etag"]
        var row = try FastStatement(
            log.db,
            number == nil
                ? """
                INSERT INTO document (\(columns.joined(separator: ", ")), id, \(record.owner.kind.idColumn))
                VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")), ?, ?)
                """
                : """
                UPDATE document SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")),
                  ghost = 0, refetch = 0, kept = 0, file_entry = NULL WHERE pk = ?
                """)
        row.bind(
            record.values, record.json, record.etag, record.served,
            EntityTag.strong(of: record.served ?? record.json))
        if let number {
            row.bind(number)
        } else {
            row.bind(record.id, record.owner.id)
        }
        try row.run()
    }

    /// The owner in the change log's form, for example `show/abc`.
    static func name(_ owner: Owner) -> String { "\(owner.kind.name)/\(owner.id)" }
}

/// Stores which file a picture or document has. The file already has its final name.
///
/// If the server doesn't have a file any more, a stored file stays, because it is the last copy. If no file is stored, or it
/// is from an earlier entry, the time of the answer is stored, and the file is requested again after a day.
struct FileWriter {
    let db: Database
    /// The time of the request.
    let at: String

    func write(_ record: FileRecord) throws -> WriteEffect {
        let use = record.use
        guard let format = use.format else { return try writeDocument(record) }
        let image = try db.number(
            "SELECT pk FROM image WHERE \(use.owner.kind.idColumn) = ? AND role = ? AND id = ?",
            [use.owner.id, use.role, use.id])
        guard let image else { return .ignored }
        try ensure(record.file, record.pixels)
        try db.run(
            """
            INSERT INTO image_file (image, format, hash, entry, etag, last_modified, fetched_at, unavailable_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (image, format) DO UPDATE SET hash = coalesce(excluded.hash, hash),
              unavailable_at = CASE WHEN hash IS NULL OR entry <> excluded.entry OR unavailable_at IS NOT NULL
                THEN excluded.unavailable_at END,
              entry = excluded.entry, etag = excluded.etag, last_modified = excluded.last_modified,
              fetched_at = excluded.fetched_at
            """,
            [
                image, format, record.file?.hash, record.entry, record.etag, record.lastModified, at,
                record.isUnavailable ? at : nil,
            ])
        let isStored = "SELECT hash IS NOT NULL FROM image_file WHERE image = ? AND format = ?"
        return try record.isUnavailable && db.isTrue(isStored, [image, format]) ? .unchanged : .updated
    }

    private func writeDocument(_ record: FileRecord) throws -> WriteEffect {
        let owner = record.use.owner, document = "\(owner.kind.idColumn) = ? AND id = ?"
        try ensure(record.file, record.pixels)
        try db.run(
            """
            UPDATE document SET file = coalesce(?1, file), file_etag = ?3, file_last_modified = ?4,
              file_unavailable_at = CASE WHEN file IS NULL OR file_entry IS NOT ?2 OR file_unavailable_at IS NOT NULL
                THEN ?5 END,
              file_entry = ?2
            WHERE \(document)
            """,
            [
                record.file?.hash, record.entry, record.etag, record.lastModified,
                record.isUnavailable ? at : nil, owner.id, record.use.id,
            ])
        guard db.changesCount > 0 else { return .ignored }
        let isStored = "SELECT file IS NOT NULL FROM document WHERE \(document)"
        return try record.isUnavailable && db.isTrue(isStored, [owner.id, record.use.id])
            ? .unchanged : .updated
    }

    /// Makes sure that the table of files has the file, and that it isn't marked as no longer needed.
    ///
    /// - Parameter pixels: the size that was read from the file; `nil`, the default, if it was not read.
    func ensure(_ file: StoredFile?, _ pixels: PixelSize? = nil) throws {
        guard let file else { return }
        try db.run(
            """
            INSERT INTO file (hash, size, path, type, width, height) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (hash) DO UPDATE SET released_at = NULL, width = coalesce(excluded.width, width),
              height = coalesce(excluded.height, height)
            """, [file.hash, file.size, file.path, file.type, pixels?.width, pixels?.height])
    }
}
