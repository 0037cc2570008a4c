import Catalogue
import GRDB

extension CatalogueStore {
    /// Repairs what can be repaired here, and marks what the next sync then fetches again: all in one transaction.
    ///
    /// Nothing here deletes what a server said, or what people edited: what a row refers to, and is not here, gets a ghost
    /// that is asked for again; lists that contradict their members are asked for again; and no list is vouched for as a
    /// whole any more. What a complete sync does not bring back is removed after it: by the Deleter, and by
    /// ``removeUnowned()``. Idempotent.
    ///
    /// - Returns: what SQLite still says of the file; empty if it is intact.
    package func mend() throws -> [String] {
        try write { db in
            try makeMissingParts(db)
            try mendReferences(db)
            try mendLists(db)
            try mendObjects(db)
            try db.run("UPDATE file SET released_at = NULL WHERE \(DefectSQL.isReleasedInUse)")
            try db.run("INSERT INTO loose_file (hash) SELECT hash FROM file WHERE \(DefectSQL.isUnnoticed)")
            // Which formats are wanted stays: should the sync that follows be stopped, the next mending needs to know.
            try db.run("UPDATE list SET clean_etag = NULL")
        }
        return try reindexed()
    }

    /// Makes tables that are missing, empty: no other check could look at them.
    package func mendTables() throws {
        try write { try makeMissingParts($0) }
    }

    /// Removes what belongs to an owner that is not here: called after a complete sync, which would have brought the owner.
    package func removeUnowned() throws {
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

    /// Whether pictures are stored of something that is not here itself: only a sync tells whether it comes back.
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
    }

    /// What is referred to by its id and may have a ghost gets one, and is asked for; files count as never fetched. What
    /// names its owner by a number goes: the number may be another's soon. Memberships of an album that is not here stay
    /// until a complete sync (``removeUnowned()``).
    private func mendReferences(_ db: Database) throws {
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

    private func mendLists(_ db: Database) throws {
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

    private func mendObjects(_ db: Database) throws {
        for kind in kinds.all {
            let table = "\"\(kind.table)\"", key = kind.isPart ? "pk" : "id"
            try db.run("UPDATE \(table) SET etag = NULL, refetch = 1 WHERE \(DefectSQL.isBodyless(kind))")
            let unserved = try db.rows(
                "SELECT \(key), coalesce(served, json) FROM \(table) WHERE \(DefectSQL.isUnserved)")
            for row in unserved {
                try db.run(
                    "UPDATE \(table) SET served_etag = ? WHERE \(key) = ?",
                    [EntityTag.strong(of: row[1] as String), row[0] as DatabaseValue])
            }
        }
    }

    /// An index that contradicts its table is made again; nothing else of a damaged file can be repaired.
    private func reindexed() throws -> [String] {
        func problems() throws -> [String] {
            try read { try $0.texts("PRAGMA integrity_check(100)") }.filter { $0 != "ok" }
        }
        guard try !problems().isEmpty else { return [] }
        try write { try $0.execute(sql: "REINDEX") }
        return try problems()
    }

    /// The JSON of artworks whose pictures are not those that it names, at most `limit`, in order behind an id.
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

    /// Makes the artists, edition sets and pictures of objects again from what is stored of the objects.
    package func rewriteParts(of records: [ObjectRecord]) throws {
        try write { db in
            let writer = try ObjectWriter(log: ChangeLog(self, db, run: nil))
            for record in records { try writer.writeParts(record, replacing: true, isNoted: false) }
        }
    }
}
