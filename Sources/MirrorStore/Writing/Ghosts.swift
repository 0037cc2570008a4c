import GRDB

/// Rows that stand for what is referred to but not stored, so that foreign keys are real.
struct Ghosts {
    let db: Database

    /// Kinds that something can refer to, with the tables and columns that do.
    static let references: [(kind: ObjectKind, from: [(table: String, column: String)])] = [
        (
            .artwork,
            [
                ("show_artwork", "artwork_id"), ("album_artwork", "artwork_id"),
                ("location_artwork", "artwork_id"),
            ]
        ),
        (.artist, [("artwork_artist", "artist_id"), ("show_artist", "artist_id")]),
        (.location, [("show", "location_id")]),
    ]

    /// Makes sure that a row for the object exists.
    func ensure(_ kind: ObjectKind, _ id: String) throws {
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

    /// The condition that something still refers to the row of `kind` that SQL calls `name`.
    static func isReferred(_ kind: ObjectKind, as name: String) -> String {
        let from = references.first { $0.kind == kind }?.from ?? []
        guard !from.isEmpty else { return "0" }
        return from.map { "EXISTS (SELECT 1 FROM \($0.table) WHERE \($0.column) = \(name).id)" }.joined(
            separator: " OR ")
    }

    /// Removes ghosts that nothing refers to.
    func prune() throws {
        for (kind, _) in Self.references {
            try db.execute(
                sql: """
                    DELETE FROM "\(kind.table)" WHERE ghost = 1 AND NOT (\(Self.isReferred(kind, as: "\"\(kind.table)\"")))
                    """)
        }
    }
}
