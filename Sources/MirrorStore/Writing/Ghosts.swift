import Catalogue
import GRDB

/// Rows that stand for what is referred to but not stored, so that foreign keys are real.
struct Ghosts {
    let db: Database
    let kinds: Kinds

    /// Makes sure that a row for the object exists.
    static func ensure(_ kind: Kind, _ id: String, in db: Database) throws {
        var ghost = try FastStatement(
            db,
            """
            INSERT INTO "\(kind.table)" (id, \(kind.titleColumn), ghost, refetch)
            VALUES (?, 'Inaccessible', 1, 1) ON CONFLICT (id) DO NOTHING
            """)
        try ghost.run(id)
    }

    /// SQL: whether an object of the kind that may be a ghost has parts.
    ///
    /// A ghost has none, unless its row was lost while they were stored, and was made again by a repair: then they stay until
    /// the object comes back, or a complete list doesn't name it.
    private func hasParts(_ kind: Kind) -> String {
        let parts = kind.partTables.map {
            "EXISTS (SELECT 1 FROM \($0) WHERE \(kind.idColumn) = \"\(kind.table)\".id)"
        }
        return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
    }

    /// Removes the parts of ghosts that the kind's own list, complete in this run, doesn't name.
    private func removeParts(_ kind: Kind) throws {
        let ghosts = try db.texts("SELECT id FROM \"\(kind.table)\" WHERE ghost = 1 AND (\(hasParts(kind)))")
        // Mostly there is none, and the list is not looked through.
        guard !ghosts.isEmpty else { return }
        let listed = try db.ids(
            """
            SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
            WHERE l.owner_kind = 'partner' AND l.name = ?
            """, [kind.plural]
        )
        for id in ghosts where !listed.contains(ExactText(id)) { try Self.removeParts(of: kind, id, in: db) }
    }

    static func removeParts(of kind: Kind, _ id: String, in db: Database) throws {
        for table in kind.partTables { try db.run("DELETE FROM \(table) WHERE \(kind.idColumn) = ?", [id]) }
    }

    /// Removes ghosts that nothing refers to; with a log also what was stored only because something referred to it.
    ///
    /// What has notes stays, and what its kind's own list names in this run: of an earlier one, changes may have told
    /// otherwise since.
    ///
    /// - Parameter complete: the kinds whose own list was complete in this run.
    func prune(linked log: ChangeLog? = nil, complete: Set<Kind> = []) throws {
        for kind in kinds.withGhosts {
            if complete.contains(kind) { try removeParts(kind) }
            let isReferred = kinds.isReferred(kind, as: "\"\(kind.table)\"")
            try db.run(
                "DELETE FROM \"\(kind.table)\" WHERE ghost = 1 AND NOT (\(isReferred) OR \(hasParts(kind)))")
            try db.run(
                """
                DELETE FROM ghost_try WHERE kind = ? AND NOT EXISTS (
                  SELECT 1 FROM "\(kind.table)" o WHERE o.id = ghost_try.id AND (o.ghost OR o.linked OR o.refetch))
                """, [kind.name])
            guard let log else { continue }
            let unreferred = try db.texts(
                """
                SELECT o.id FROM "\(kind.table)" o WHERE o.linked = 1 AND o.ghost = 0 AND o.kept = 0
                  AND NOT (\(kinds.isReferred(kind, as: "o")))
                  AND NOT EXISTS (SELECT 1 FROM note n WHERE n.kind = ?1 AND n.id = o.id)
                  AND o.id NOT IN (
                    SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                    WHERE l.owner_kind = 'partner' AND l.name = ?2 AND l.run IS ?3) ORDER BY o.id
                """, [kind.name, kind.plural, log.run])
            for id in unreferred {
                try ObjectRemover(log: log).remove(kind, id, evidence: Self.nothingRefers)
            }
        }
    }

    static func noteTried(_ kind: Kind, _ id: String, at: String, in db: Database) throws {
        try db.run(
            """
            INSERT INTO ghost_try (kind, id, tried_at) VALUES (?, ?, ?)
            ON CONFLICT (kind, id) DO UPDATE SET tried_at = excluded.tried_at
            """, [kind.name, id, at])
    }

    /// The evidence of the removal of what was here only because something referred to it.
    static let nothingRefers = "not listed, and nothing refers to it any more"
}

extension Kinds {
    /// The kinds that may have ghosts; each refers only to kinds behind it.
    var withGhosts: [Kind] {
        let kinds = listed.reversed().filter { !$0.isEdited }
        return kinds.filter(\.hasMembers) + kinds.filter { !$0.hasMembers }
    }

    /// The tables and columns that refer to a kind's objects, each beside the kind that does.
    func references(to kind: Kind) -> [(from: Kind, table: String, column: String)] {
        switch kind {
        case .artwork: all.filter(\.hasMembers).map { ($0, $0.membersTable, kind.idColumn) }
        case .artist: all.filter(\.hasArtists).map { ($0, $0.artistsTable, kind.idColumn) }
        case .location: all.filter(\.hasLocation).map { ($0, $0.table, kind.idColumn) }
        default: []
        }
    }

    /// The condition that something still refers to the row of `kind` that SQL calls `name`.
    func isReferred(_ kind: Kind, as name: String) -> String {
        let references = references(to: kind).map {
            "EXISTS (SELECT 1 FROM \($0.table) WHERE \($0.column) = \(name).id)"
        }
        return references.isEmpty ? "0" : references.joined(separator: " OR ")
    }
}
