import Catalogue
import GRDB

extension CatalogueStore {
    /// Repairs defects locally where possible, and marks the rest to be fetched again, all in one transaction. Idempotent.
    ///
    /// It deletes neither objects of the server nor local edits:
    /// - An object that a row refers to, and that is missing, becomes a ghost, which the next sync requests.
    /// - A list that contradicts its members is requested again.
    /// - No unchanged list is skipped by the next sync.
    ///
    /// After a complete sync, the Deleter and ``removeOrphans()`` remove what it didn't restore.
    ///
    /// - Returns: the problems that SQLite's integrity check still reports; empty if the file is intact.
    package func repair() throws -> [String] {
        try write { db in
            try makeMissingParts(db)
            try repairReferences(db)
            try repairLists(db)
            try repairObjects(db)
            try db.run("UPDATE file SET released_at = NULL WHERE \(DefectSQL.isReleasedInUse)")
            try db.run("INSERT INTO loose_file (hash) SELECT hash FROM file WHERE \(DefectSQL.isUntracked)")
            // Keeps clean_formats: if the following sync is interrupted, the next repair needs to know the wanted formats.
            try db.run("UPDATE list SET clean_etag = NULL")
        }
        return try rebuildIndexesIfNeeded()
    }

    /// Creates missing tables, empty, so that the other checks can run.
    package func createMissingTables() throws {
        try write { try makeMissingParts($0) }
    }

    /// Removes lists and parts whose owner isn't stored.
    ///
    /// Call it after a complete sync, which would have stored the owner.
    package func removeOrphans() throws {
        try write { db in
            for kind in kinds.all where !kind.lists.isEmpty {
                try db.run("DELETE \(DefectSQL.ownerless(kind))")
            }
            let withGhosts = kinds.withGhosts.map(\.table)
            for broken in try BrokenReference.all(in: db) where !withGhosts.contains(broken.target) {
                try Self.remove(broken, in: db)
            }
            try Ghosts(db: db, kinds: kinds).prune()
        }
    }

    /// Whether pictures of a ghost are stored. Only a sync can find out whether the object still exists.
    package func hasPicturesOfGhosts() throws -> Bool {
        try read { db in
            try kinds.all.filter(\.hasPictures).contains {
                try db.isTrue("SELECT 1 FROM image WHERE \(DefectSQL.isPictureOfGhost($0)) LIMIT 1")
            }
        }
    }

    package func missingTables() throws -> [String] {
        try read { try Schema.missingParts(of: kinds, in: $0) }.filter { $0.type == "table" }.map(\.name)
    }

    private func makeMissingParts(_ db: Database) throws {
        let missing = try Schema.missingParts(of: kinds, in: db)
        for part in missing { try db.execute(sql: part.statement) }
        if missing.contains(where: { $0.type == "table" }) { try Self.set(.rebuilt, to: "1", in: db) }
        if missing.contains(where: { ["shown_change", "change_tally"].contains($0.name) }) {
            try Self.forgetShownHistory(in: db)
        }
    }

    /// Repairs rows that refer to a missing row.
    ///
    /// - A missing object of a kind that may have ghosts gets one, so that it is requested.
    /// - A missing file is marked as never fetched.
    /// - A row that refers to its owner by a row number is deleted, because SQLite may give the number to another row.
    /// - Memberships of a missing album stay until a complete sync (``removeOrphans()``).
    private func repairReferences(_ db: Database) throws {
        for broken in Dictionary(grouping: try BrokenReference.all(in: db), by: { [$0.table, $0.column] })
            .values.compactMap(\.first).sorted(by: { ($0.table, $0.column) < ($1.table, $1.column) })
        {
            let isBroken = broken.condition
            if let kind = kinds.withGhosts.first(where: { $0.table == broken.target }) {
                let ids = try db.texts(
                    "SELECT DISTINCT \"\(broken.column)\" FROM \"\(broken.table)\" c WHERE \(isBroken)")
                for id in ids { try Ghosts.ensure(kind, id, in: db) }
            } else if broken.table == "document", broken.column == "file" {
                try db.run(
                    "UPDATE document AS c SET file = NULL, file_entry = NULL, file_etag = NULL WHERE \(isBroken)"
                )
            } else if broken.table == "image_file", broken.column == "hash" {
                try db.run(
                    """
                    UPDATE image_file AS c SET hash = NULL, entry = '', etag = NULL, fetched_at = NULL
                    WHERE \(isBroken)
                    """)
            } else if broken.targetColumn != "id" {
                try Self.remove(broken, in: db)
            }
        }
    }

    private static func remove(_ broken: BrokenReference, in db: Database) throws {
        try db.run("DELETE FROM \"\(broken.table)\" AS c WHERE \(broken.condition)")
    }

    private func repairLists(_ db: Database) throws {
        let reset = "UPDATE list SET etag = NULL, complete = 0, pending = 0"
        try db.run("\(reset) WHERE url IN (SELECT url FROM (\(DefectSQL.listLengths)))")
        for kind in kinds.all where !kind.lists.isEmpty {
            try db.run("\(reset) WHERE number IN (SELECT number \(DefectSQL.ownerless(kind)))")
            for list in kind.lists {
                let wrong = DefectSQL.members(kind, list)
                try db.run("\(reset) WHERE url IN (SELECT url FROM (\(wrong)))")
            }
        }
    }

    private func repairObjects(_ db: Database) throws {
        for kind in kinds.all {
            let table = "\"\(kind.table)\"", key = kind.isPart ? "pk" : "id"
            try db.run("UPDATE \(table) SET etag = NULL, refetch = 1 WHERE \(DefectSQL.hasNoBody(kind))")
            let unserved = try db.rows(
                "SELECT \(key), coalesce(served, json) FROM \(table) WHERE \(DefectSQL.isUnserved)")
            for row in unserved {
                try db.run(
                    "UPDATE \(table) SET served_etag = ? WHERE \(key) = ?",
                    [EntityTag.strong(of: row[1] as String), row[0] as DatabaseValue])
            }
        }
    }

    /// Rebuilds all indexes if the integrity check reports a problem. Other damage of the file can't be repaired.
    ///
    /// - Returns: the problems that remain.
    private func rebuildIndexesIfNeeded() throws -> [String] {
        func problems() throws -> [String] {
            try read { try $0.texts("PRAGMA integrity_check(100)") }.filter { $0 != "ok" }
        }
        guard try !problems().isEmpty else { return [] }
        try write { try $0.execute(sql: "REINDEX") }
        return try problems()
    }

    /// Artworks whose stored pictures differ from those in their JSON, in the order of ids.
    ///
    /// - Parameters:
    ///   - id: only artworks after this id.
    ///   - limit: the maximum number.
    package func artworksWithWrongPictures(after id: String, limit: Int) throws -> [(
        id: String, json: String
    )] {
        try read { db in
            try db.rows(
                """
                SELECT w.id, o.json FROM (\(DefectSQL.pictures)) w JOIN artwork o ON o.id = w.id
                WHERE w.id > ? ORDER BY w.id LIMIT ?
                """, [id, limit]
            ).map { ($0[0], $0[1]) }
        }
    }

    /// Writes the artists, edition sets and pictures of stored objects again.
    ///
    /// - Parameter records: the objects, from their stored JSON.
    package func rewriteParts(of records: [ObjectRecord]) throws {
        try write { db in
            let writer = try ObjectWriter(log: ChangeLog(self, db, run: nil))
            for record in records { try writer.writeParts(record, replacing: true, isLogged: false) }
        }
    }
}
