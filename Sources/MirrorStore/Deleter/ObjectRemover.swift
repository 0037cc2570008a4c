import Catalogue
import GRDB

/// Removes one object, with its earlier state in the change log.
struct ObjectRemover {
    let log: ChangeLog
    private var db: Database { log.db }

    init(log: ChangeLog) { self.log = log }

    /// Removes an object, or leaves a ghost of it where something still refers to it.
    ///
    /// - Parameter isOurs: whether it was deleted here, not on the server.
    /// - Returns: whether a local edit was lost with it: then it is noted as a conflict.
    @discardableResult
    func remove(_ kind: Kind, _ id: String, evidence: String, isOurs: Bool = false) throws -> Bool {
        let slug = Rivals.kinds.contains(kind) ? "slug" : "NULL"
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT json, etag, \(slug) FROM \"\(kind.table)\" WHERE id = ?"),
                arguments: [id])
        else { return false }
        log.slugs.note(kind, id, before: row[2], after: nil)
        var isLost = false
        if kind == .album, !isOurs {
            let arrival = AlbumArrival(log: log)
            if let conflict = try arrival.ruleForDeletion(of: id).conflict {
                try arrival.note(conflict, id)
                isLost = true
            }
        }
        try log.note(.delete, kind, id, before: try state(kind, id, row), evidence: evidence)
        try db.cachedStatement(sql: "DELETE FROM list WHERE owner_kind = ? AND owner_id = ?")
            .execute(arguments: [kind.name, id])
        let referred = Ghosts.isReferred(kind, as: "o")
        let isReferred = try db.cachedStatement(
            sql: "SELECT \(referred) FROM \"\(kind.table)\" o WHERE id = ?")
        if try Bool.fetchOne(isReferred, arguments: [id]) == true {
            try makeGhost(kind, id)
        } else {
            try db.cachedStatement(sql: "DELETE FROM \"\(kind.table)\" WHERE id = ?").execute(arguments: [id])
        }
        return isLost
    }

    func removeDocument(_ owner: Owner, _ id: String, evidence: String) throws {
        let column = DocumentWriter.column(owner)
        let before = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json_object('body', json(json), 'etag', etag, 'file', file, 'file_entry', file_entry)
                    FROM document WHERE \(column) = ? AND id = ?
                    """), arguments: [owner.id, id])
        // It may have gone with its owner just now.
        guard let before else { return }
        try log.note(
            .delete, .document, id, owner: DocumentWriter.name(owner), before: before, evidence: evidence)
        try db.cachedStatement(sql: "DELETE FROM document WHERE \(column) = ? AND id = ?")
            .execute(arguments: [owner.id, id])
    }

    /// Everything that it takes to bring the object back: its body, its members, its documents, its files.
    private func state(_ kind: Kind, _ id: String, _ row: Row) throws -> String? {
        let members = Membership(ListName(url: "", owner: Owner(kind, id), name: "artworks"))
        let ids = kind.hasMembers ? try members?.ids(in: db) : nil
        let files = try ownerColumn(kind).map { column in
            try String.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT json_group_array(json_object('role', role, 'image', id, 'json', json(json),
                          'format', format, 'hash', hash, 'entry', file_entry))
                        FROM (
                          SELECT i.role, i.id, i.json, f.format, f.hash, f.entry AS file_entry
                          FROM image i LEFT JOIN image_file f ON f.image = i.pk WHERE i.\(column) = ?
                          ORDER BY i.role, i.position, f.format
                        )
                        """), arguments: [id])
        }
        let documents =
            try [.show, .artist].contains(kind)
            ? String.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT json_group_array(json_object('id', id, 'body', json(json), 'etag', etag, 'file', file,
                          'file_entry', file_entry))
                        FROM document WHERE \(kind.name)_id = ?
                        """), arguments: [id]) : nil
        return try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json_object('body', json(?), 'etag', ?, 'artworks', json(?), 'images', json(?),
                      'documents', json(?))
                    """),
            arguments: [
                row[0] as String?, row[1] as String?, ids.map(JSONValue.canonicalText(of:)), files ?? nil,
                documents,
            ])
    }

    private func ownerColumn(_ kind: Kind) -> String? {
        switch kind {
        case .artwork: "artwork_id"
        case .show: "show_id"
        default: nil
        }
    }

    private func makeGhost(_ kind: Kind, _ id: String) throws {
        let cleared = (kind.columns.map(\.name) + ["json", "etag", "served", "served_etag"])
            .map { "\"\($0)\" = NULL" }.joined(separator: ", ")
        try db.cachedStatement(
            sql:
                "UPDATE \"\(kind.table)\" SET \(cleared), ghost = 1, refetch = 1, kept = 0, linked = 0 WHERE id = ?"
        ).execute(arguments: [id])
        try db.cachedStatement(
            sql:
                "UPDATE \"\(kind.table)\" SET \(kind == .artwork ? "title" : "name") = 'Inaccessible' WHERE id = ?"
        ).execute(arguments: [id])
        if kind == .artwork {
            for table in ["edition_set", "image", "artwork_artist"] {
                try db.cachedStatement(sql: "DELETE FROM \(table) WHERE artwork_id = ?").execute(arguments: [
                    id
                ])
            }
        }
        if kind == .location {
            try db.cachedStatement(sql: "DELETE FROM location_artwork WHERE location_id = ?").execute(
                arguments: [id])
        }
        if kind == .artist {
            try db.cachedStatement(sql: "DELETE FROM document WHERE artist_id = ?").execute(arguments: [id])
        }
    }
}
