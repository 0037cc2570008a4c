import Catalogue
import GRDB

/// Writes the rows of documents; their bytes are written by ``FileWriter``.
struct DocumentWriter {
    let log: ChangeLog

    func write(_ record: DocumentRecord) throws -> WriteEffect {
        let db = log.db
        let column = Self.column(record.owner)
        let owned = try db.cachedStatement(sql: "SELECT 1 FROM \"\(record.owner.kind.table)\" WHERE id = ?")
        guard try Int.fetchOne(owned, arguments: [record.owner.id]) != nil else { return .ignored }
        let find = try db.cachedStatement(
            sql:
                "SELECT pk, json, etag, refetch OR kept, kept, file, file_entry FROM document WHERE \(column) = ? AND id = ?"
        )
        let found = try Row.fetchOne(find, arguments: [record.owner.id, record.id])
        if let found, ExactText.same(found[1], record.json) {
            let wasKept: Bool = found[4]
            if found[2] != record.etag || found[3] {
                try db.cachedStatement(
                    sql: "UPDATE document SET etag = ?, refetch = 0, kept = 0 WHERE pk = ?"
                )
                .execute(arguments: [record.etag, found[0] as Int64])
            }
            guard wasKept else { return .unchanged }
            try log.note(
                .update, .document, record.id, owner: Self.name(record.owner), before: found[1],
                evidence: ObjectWriter.listedAgain)
            return .updated
        }
        let served = EntityTag.strong(of: record.served ?? record.json)
        if let found {
            try db.cachedStatement(
                sql: """
                    UPDATE document SET title = ?, filename = ?, size = ?, uri = ?, json = ?, etag = ?, served = ?,
                      served_etag = ?, ghost = 0, refetch = 0, kept = 0, file_entry = NULL WHERE pk = ?
                    """
            ).execute(arguments: [
                record.title, record.filename, record.size, record.uri, record.json, record.etag,
                record.served,
                served, found[0] as Int64,
            ])
        } else {
            try db.cachedStatement(
                sql: """
                    INSERT INTO document (id, \(column), title, filename, size, uri, json, etag, served, served_etag)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                record.id, record.owner.id, record.title, record.filename, record.size, record.uri,
                record.json,
                record.etag, record.served, served,
            ])
        }
        try log.note(
            found == nil ? .create : .update, .document, record.id, owner: Self.name(record.owner),
            before: found?[1])
        if let found, let file: String = found[5] {
            try log.noteFiles(
                LostFile.json([LostFile(role: "document", of: record.id, hash: file, entry: found[6])]))
        }
        return found == nil ? .created : .updated
    }

    static func column(_ owner: Owner) -> String { owner.kind == .show ? "show_id" : "artist_id" }

    /// How the change log names the owner of a part: `show/abc`.
    static func name(_ owner: Owner) -> String { "\(owner.kind.name)/\(owner.id)" }
}
