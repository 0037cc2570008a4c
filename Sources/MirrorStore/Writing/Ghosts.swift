import Catalogue
import GRDB

/// Creates and removes ghosts: rows for objects that are referred to but not stored, as targets of foreign keys.
struct Ghosts {
    let db: Database
    let kinds: Kinds

    /// Makes sure that the object has a row; a new row is a ghost.
    static func ensure(_ kind: Kind, _ id: String, in db: Database) throws {
        var ghost = try FastStatement(
            db,
            """
            INSERT INTO "\(kind.table)" (id, \(kind.titleColumn), ghost, refetch)
            VALUES (?, 'Inaccessible', 1, 1) ON CONFLICT (id) DO NOTHING
            """)
        try ghost.run(id)
    }

    /// SQL condition: an object of the kind has parts.
    ///
    /// A ghost has parts only after a repair: the object's row was lost, but its parts were not. The parts stay until the object
    /// is fetched, or a complete list doesn't contain it.
    private func hasParts(_ kind: Kind) -> String {
        let parts = kind.partTables.map {
            "EXISTS (SELECT 1 FROM \($0) WHERE \(kind.idColumn) = \"\(kind.table)\".id)"
        }
        return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
    }

    /// Removes the parts of ghosts that the kind's own list doesn't contain. The list must be complete in this run.
    private func removeParts(_ kind: Kind) throws {
        let ghosts = try db.texts("SELECT id FROM \"\(kind.table)\" WHERE ghost = 1 AND (\(hasParts(kind)))")
        // Usually there are none, and the list needn't be read.
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

    /// Removes ghosts that nothing refers to.
    ///
    /// With a log, it also removes linked objects that nothing refers to any more, except objects with notes and objects that
    /// the kind's own list contained in this run. An earlier list may be outdated by later changes.
    ///
    /// - Parameters:
    ///   - log: the log for removed linked objects; `nil` to keep them.
    ///   - complete: the kinds whose own list was complete in this run.
    func prune(linked log: ChangeLog? = nil, complete: Set<Kind> = []) throws {
        for kind in kinds.withGhosts {
            if complete.contains(kind) { try removeParts(kind) }
            let isReferred = kinds.isReferencedCondition(kind, as: "\"\(kind.table)\"")
            try db.run(
                "DELETE FROM \"\(kind.table)\" WHERE ghost = 1 AND NOT (\(isReferred) OR \(hasParts(kind)))")
            try db.run(
                """
                DELETE FROM ghost_try WHERE kind = ?1 AND NOT EXISTS (
                  SELECT 1 FROM "\(kind.table)" o WHERE o.id = ghost_try.id
                    AND (o.ghost OR o.linked OR o.refetch OR \(Self.isOfSource)))
                  AND NOT (\(Self.isListedWithoutRow(kind))) AND NOT (ghost_try.absent AND \(Self.isOfSource))
                """, [kind.name, kind.plural])
            guard let log else { continue }
            let unreferred = try db.texts(
                """
                SELECT o.id FROM "\(kind.table)" o WHERE o.linked = 1 AND o.ghost = 0 AND o.kept = 0
                  AND NOT (\(kinds.isReferencedCondition(kind, as: "o")))
                  AND NOT EXISTS (SELECT 1 FROM note n WHERE n.kind = ?1 AND n.id = o.id)
                  AND o.id NOT IN (
                    SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                    WHERE l.owner_kind = 'partner' AND l.name = ?2 AND l.run IS ?3) ORDER BY o.id
                """, [kind.name, kind.plural, log.run])
            for id in unreferred {
                try ObjectRemover(log: log).remove(kind, id, evidence: .unreferenced)
            }
        }
    }

    /// SQL condition: the mirror is one of a described source.
    ///
    /// There, stored objects without a version in the list are requested in the order of their last requests, and objects that are
    /// absent are not requested again at once, also if their list was incomplete.
    static let isOfSource =
        "EXISTS (SELECT 1 FROM meta WHERE key = '\(CatalogueStore.MetaKey.source.rawValue)')"

    /// SQL condition: the row of `ghost_try` is about an object that the list contains although the server doesn't have it.
    private static func isListedWithoutRow(_ kind: Kind) -> String {
        """
        NOT EXISTS (SELECT 1 FROM "\(kind.table)" o WHERE o.id = ghost_try.id) AND ghost_try.id IN (
          SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
          WHERE l.owner_kind = 'partner' AND l.name = ?2)
        """
    }

    /// Stores when an object was last requested by its own URL, and whether it was absent.
    static func noteTried(_ kind: Kind, _ id: String, isAbsent: Bool, at: String, in db: Database) throws {
        try db.run(
            """
            INSERT INTO ghost_try (kind, id, tried_at, absent) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind, id) DO UPDATE SET tried_at = excluded.tried_at, absent = excluded.absent
            """, [kind.name, id, at, isAbsent])
    }

    /// Forgets that an object was absent, because it was stored since.
    static func forgetAbsent(_ kind: Kind, _ id: String, in db: Database) throws {
        try db.run("DELETE FROM ghost_try WHERE kind = ? AND id = ? AND absent = 1", [kind.name, id])
    }
}

extension Kinds {
    /// The kinds that may have ghosts. Each kind refers only to later kinds.
    var withGhosts: [Kind] {
        let kinds = listed.reversed().filter { !$0.isEdited }
        return kinds.filter(\.hasMembers) + kinds.filter { !$0.hasMembers }
    }

    /// The columns that refer to a kind's objects, each with its table and the referring kind.
    func references(to kind: Kind) -> [(from: Kind, table: String, column: String)] {
        switch kind {
        case .artwork: all.filter(\.hasMembers).map { ($0, $0.membersTable, kind.idColumn) }
        case .artist: all.filter(\.hasArtists).map { ($0, $0.artistsTable, kind.idColumn) }
        case .location: all.filter(\.hasLocation).map { ($0, $0.table, kind.idColumn) }
        default: []
        }
    }

    /// SQL condition: something refers to the kind's row `name`.
    func isReferencedCondition(_ kind: Kind, as name: String) -> String {
        let references = references(to: kind).map {
            "EXISTS (SELECT 1 FROM \($0.table) WHERE \($0.column) = \(name).id)"
        }
        return references.isEmpty ? "0" : references.joined(separator: " OR ")
    }
}
