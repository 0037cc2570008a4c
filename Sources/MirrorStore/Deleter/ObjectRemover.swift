import Catalogue
import GRDB

/// Removes one object, and writes its earlier state to the change log.
struct ObjectRemover {
    let log: ChangeLog
    private var db: Database { log.db }

    /// Removes an object, or makes it a ghost if something still refers to it.
    ///
    /// - Parameter isLocal: whether it was deleted locally, not by the server. Default: `false`.
    /// - Returns: whether a local edit was lost, which is logged as a conflict.
    @discardableResult
    func remove(_ kind: Kind, _ id: String, evidence: Evidence, isLocal: Bool = false) throws -> Bool {
        let slug = kind.hasRivals ? "slug" : "NULL"
        let row = try db.row("SELECT json, etag, \(slug) FROM \"\(kind.table)\" WHERE id = ?", [id])
        guard let row else { return false }
        log.slugs.note(kind, id, before: row[2], after: nil)
        var isLost = false
        if kind.isEdited, !isLocal {
            let arrival = AlbumArrival(log: log)
            if let conflict = try arrival.ruleForDeletion(of: id).conflict {
                try arrival.note(conflict, id)
                isLost = true
            }
        }
        try log.note(.delete, kind, id, before: try state(kind, id, row), evidence: evidence)
        try db.run("DELETE FROM list WHERE owner_kind = ? AND owner_id = ?", [kind.name, id])
        try db.run("DELETE FROM absence WHERE kind = ? AND id = ?", [kind.name, id])
        try Ghosts.forgetAbsent(kind, id, in: db)
        let isReferred = log.kinds.isReferencedCondition(kind, as: "o")
        if try db.isTrue("SELECT \(isReferred) FROM \"\(kind.table)\" o WHERE id = ?", [id]) {
            try makeGhost(kind, id)
        } else {
            try db.run("DELETE FROM \"\(kind.table)\" WHERE id = ?", [id])
        }
        return isLost
    }

    /// Removes a locally deleted object in a transaction that changes no other object, and gives its slug to a rival.
    func removeAndSettle(_ kind: Kind, _ id: String, evidence: Evidence) throws {
        try remove(kind, id, evidence: evidence, isLocal: true)
        try RivalSettlement(log: log).settle()
    }

    func removeDocument(_ owner: Owner, _ id: String, evidence: Evidence) throws {
        let column = owner.kind.idColumn
        let before = try db.text(
            """
            SELECT json_object('body', json(json), 'etag', etag, 'file', file, 'file_entry', file_entry)
            FROM document WHERE \(column) = ? AND id = ?
            """, [owner.id, id])
        // It may have been removed together with its owner.
        guard let before else { return }
        try log.note(
            .delete, .document, id, owner: DocumentWriter.name(owner), before: before, evidence: evidence)
        try db.run("DELETE FROM document WHERE \(column) = ? AND id = ?", [owner.id, id])
    }

    /// Everything that restoring the object needs, as JSON: its body, members, documents and files.
    private func state(_ kind: Kind, _ id: String, _ row: Row) throws -> String? {
        let members = try Membership(of: Owner(kind, id))?.ids(in: db)
        let pictures =
            try !kind.hasPictures
            ? nil
            : db.text(
                """
                SELECT json_group_array(json_object('role', role, 'image', id, 'json', json(json),
                  'format', format, 'hash', hash, 'entry', file_entry))
                FROM (
                  SELECT i.role, i.id, i.json, f.format, f.hash, f.entry AS file_entry
                  FROM image i LEFT JOIN image_file f ON f.image = i.pk WHERE i.\(kind.idColumn) = ?
                  ORDER BY i.role, i.position, f.format
                )
                """, [id])
        let documents =
            try !kind.hasDocuments
            ? nil
            : db.text(
                """
                SELECT json_group_array(json_object('id', id, 'body', json(json), 'etag', etag, 'file', file,
                  'file_entry', file_entry))
                FROM document WHERE \(kind.idColumn) = ?
                """, [id])
        return try db.text(
            """
            SELECT json_object('body', json(?), 'etag', ?, 'artworks', json(?), 'images', json(?),
              'documents', json(?))
            """,
            [
                row[0] as String?, row[1] as String?, members.map(JSONValue.canonicalText(of:)), pictures,
                documents,
            ])
    }

    private func makeGhost(_ kind: Kind, _ id: String) throws {
        let cleared =
            (kind.columns.map(\.name).filter { $0 != kind.titleColumn }
            + ["json", "etag", "served", "served_etag"]).map { "\"\($0)\" = NULL" }
        try db.run(
            """
            UPDATE "\(kind.table)" SET \(cleared.joined(separator: ", ")), \(kind.titleColumn) = 'Inaccessible',
              ghost = 1, refetch = 1, kept = 0, linked = 0 WHERE id = ?
            """, [id])
        try Ghosts.removeParts(of: kind, id, in: db)
    }
}
