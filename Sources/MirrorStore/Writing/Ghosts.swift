import Catalogue
import GRDB

/// Rows that stand for what is referred to but not stored, so that foreign keys are real.
struct Ghosts {
    let db: Database

    /// Kinds that may have ghosts, with the tables and columns that refer to them; a kind refers only to kinds behind it.
    static let references: [(kind: Kind, from: [(table: String, column: String)])] = [
        (.show, []),
        (.location, [("show", "location_id")]),
        (
            .artwork,
            [
                ("show_artwork", "artwork_id"), ("album_artwork", "artwork_id"),
                ("location_artwork", "artwork_id"),
            ]
        ),
        (.artist, [("artwork_artist", "artist_id"), ("show_artist", "artist_id")]),
    ]

    /// Makes sure that a row for the object exists.
    func ensure(_ kind: Kind, _ id: String) throws {
        var ghost = try FastStatement(db, Self.insert[kind] ?? "")
        ghost.bind(id)
        try ghost.run()
    }

    private static let insert = Dictionary(
        uniqueKeysWithValues: references.map { kind, _ in
            (
                kind,
                """
                INSERT INTO "\(kind.table)" (id, \(kind == .artwork ? "title" : "name"), ghost, refetch)
                VALUES (?, 'Inaccessible', 1, 1) ON CONFLICT (id) DO NOTHING
                """
            )
        })

    /// The kind that has that table, if it may have ghosts.
    static func kind(of table: String) -> Kind? {
        references.map(\.kind).first { $0.table == table }
    }

    /// Where an object's parts are. A ghost has none, unless its row was lost while they were stored, and was made again by
    /// a repair: then they stay until the object comes back, or a complete list doesn't name it.
    private static let parts: [Kind: [(table: String, column: String)]] = [
        .artwork: [
            ("edition_set", "artwork_id"), ("image", "artwork_id"), ("artwork_artist", "artwork_id"),
        ],
        .show: [
            ("image", "show_id"), ("document", "show_id"), ("show_artwork", "show_id"),
            ("show_artist", "show_id"),
        ],
        .artist: [("document", "artist_id")],
        .location: [("location_artwork", "location_id")],
    ]

    private static func hasParts(_ kind: Kind) -> String {
        (parts[kind] ?? []).map {
            "EXISTS (SELECT 1 FROM \($0.table) WHERE \($0.column) = \"\(kind.table)\".id)"
        }
        .joined(separator: " OR ")
    }

    /// Removes the parts of ghosts that the kind's own list, complete in this run, doesn't name.
    private func removeParts(_ kind: Kind) throws {
        let ghosts = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT id FROM \"\(kind.table)\" WHERE ghost = 1 AND (\(Self.hasParts(kind)))"))
        // Mostly there is none, and the list is not looked through.
        guard !ghosts.isEmpty else { return }
        let listed = try Set(
            String.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                        WHERE l.owner_kind = 'partner' AND l.name = ?
                        """), arguments: [kind.plural]
            ).map(ExactText.init))
        for id in ghosts where !listed.contains(ExactText(id)) {
            for (table, column) in Self.parts[kind] ?? [] {
                try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(column) = ?").execute(arguments: [
                    id
                ])
            }
        }
    }

    /// The condition that something still refers to the row of `kind` that SQL calls `name`.
    static func isReferred(_ kind: Kind, as name: String) -> String {
        let from = references.first { $0.kind == kind }?.from ?? []
        guard !from.isEmpty else { return "0" }
        return from.map { "EXISTS (SELECT 1 FROM \($0.table) WHERE \($0.column) = \(name).id)" }.joined(
            separator: " OR ")
    }

    /// Removes ghosts that nothing refers to; with a log also what was stored only because something referred to it.
    ///
    /// What has notes stays, and what its kind's own list names in this run: of an earlier one, changes may have told
    /// otherwise since.
    ///
    /// - Parameter complete: the kinds whose own list was complete in this run.
    func prune(linked log: ChangeLog? = nil, complete: Set<Kind> = []) throws {
        let held = try heldWithoutList()
        for (kind, _) in Self.references {
            let held = held[kind] ?? []
            if held.contains(.ghost) {
                if complete.contains(kind) { try removeParts(kind) }
                try db.cachedStatement(
                    sql: """
                        DELETE FROM "\(kind.table)" WHERE ghost = 1
                          AND NOT (\(Self.isReferred(kind, as: "\"\(kind.table)\"")) OR \(Self.hasParts(kind)))
                        """
                ).execute()
            }
            if held.contains(.tried) {
                try db.cachedStatement(
                    sql: """
                        DELETE FROM ghost_try WHERE kind = ? AND NOT EXISTS (
                          SELECT 1 FROM "\(kind.table)" o WHERE o.id = ghost_try.id AND (o.ghost OR o.linked OR o.refetch))
                        """
                ).execute(arguments: [kind.name])
            }
            guard let log, held.contains(.linked) else { continue }
            let unreferred = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT o.id FROM "\(kind.table)" o WHERE o.linked = 1 AND o.ghost = 0 AND o.kept = 0
                          AND NOT (\(Self.isReferred(kind, as: "o")))
                          AND NOT EXISTS (SELECT 1 FROM note n WHERE n.kind = ?1 AND n.id = o.id)
                          AND o.id NOT IN (
                            SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                            WHERE l.owner_kind = 'partner' AND l.name = ?2 AND l.run IS ?3) ORDER BY o.id
                        """), arguments: [kind.name, kind.plural, log.run])
            for id in unreferred {
                try ObjectRemover(log: log).remove(kind, id, evidence: Self.nothingRefers)
            }
        }
    }

    private enum Held: Int { case ghost, tried, linked }

    /// What there is of each kind that may have to go. That there is none of most is found out sooner than what to do of it.
    private func heldWithoutList() throws -> [Kind: Set<Held>] {
        var held: [Kind: Set<Held>] = [:]
        for row in try Row.fetchAll(db.cachedStatement(sql: Self.heldSQL)) {
            guard let kind = Kinds.standard[row[0]], let what = Held(rawValue: row[1]) else { continue }
            held[kind, default: []].insert(what)
        }
        return held
    }

    private static let heldSQL = references.flatMap { kind, _ in
        [
            (Held.ghost, "\"\(kind.table)\" WHERE ghost = 1"),
            (.tried, "ghost_try WHERE kind = '\(kind.name)'"),
            (.linked, "\"\(kind.table)\" WHERE linked = 1 AND ghost = 0"),
        ].map { held, rows in
            "SELECT '\(kind.name)', \(held.rawValue) WHERE EXISTS (SELECT 1 FROM \(rows))"
        }
    }.joined(separator: " UNION ALL ")

    func noteTried(_ kind: Kind, _ id: String, at: String) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO ghost_try (kind, id, tried_at) VALUES (?, ?, ?)
                ON CONFLICT (kind, id) DO UPDATE SET tried_at = excluded.tried_at
                """
        ).execute(arguments: [kind.name, id, at])
    }

    /// The evidence of the removal of what was here only because something referred to it.
    static let nothingRefers = "not listed, and nothing refers to it any more"
}
