import GRDB
import PartnerAPI

extension CatalogueStore {
    /// Mends what can be mended here, and unmakes what the next sync then fetches again: all in one transaction.
    ///
    /// Nothing here deletes what a server said: rows that refer to nothing go, lists that contradict their members are
    /// asked for again, and no list is vouched for as a whole any more. Idempotent.
    ///
    /// - Returns: what SQLite still says of the file; empty if it is sound.
    package func mend() throws -> [String] {
        try write { db in
            try Self.makeMissingParts(db)
            try mendReferences(db)
            try mendLists(db)
            try mendObjects(db)
            try db.execute(sql: "UPDATE file SET released_at = NULL WHERE \(DefectSQL.isReleasedInUse)")
            try db.execute(
                sql: "INSERT INTO loose_file (hash) SELECT hash FROM file WHERE \(DefectSQL.isUnnoticed)")
            // Which formats are wanted stays: should the sync that follows be stopped, the next mending needs to know.
            try db.execute(sql: "UPDATE list SET clean_etag = NULL")
        }
        return try reindexed()
    }

    /// Makes tables that are missing, empty: no other check could look at them.
    package func mendTables() throws {
        try write { try Self.makeMissingParts($0) }
    }

    package func missingTables() throws -> [String] {
        try read(Schema.missingParts).filter { $0.type == "table" }.map(\.name)
    }

    private static func makeMissingParts(_ db: Database) throws {
        for part in try Schema.missingParts(in: db) { try db.execute(sql: part.statement) }
    }

    /// What refers to an object that may have a ghost gets one; rows that go with their owner go; files are let go.
    private func mendReferences(_ db: Database) throws {
        for broken in Dictionary(grouping: try BrokenReference.all(in: db), by: { [$0.table, $0.column] })
            .values.compactMap(\.first).sorted(by: { ($0.table, $0.column) < ($1.table, $1.column) })
        {
            let isBroken = BrokenReference.isBroken(broken.column, broken.target, broken.targetColumn)
            let ghosts = Ghosts.references.first { reference in
                reference.kind.table == broken.target
                    && reference.from.contains { $0.table == broken.table && $0.column == broken.column }
            }
            if let ghosts {
                let ids = try String.fetchAll(
                    db,
                    sql: "SELECT DISTINCT \"\(broken.column)\" FROM \"\(broken.table)\" c WHERE \(isBroken)")
                for id in ids { try Ghosts(db: db).ensure(ghosts.kind, id) }
            } else if broken.table == "document", broken.column == "file" {
                try db.execute(
                    sql:
                        "UPDATE document AS c SET file = NULL, file_entry = NULL, file_etag = NULL WHERE \(isBroken)"
                )
            } else if broken.table == "image_file", broken.column == "hash" {
                try db.execute(
                    sql: """
                        UPDATE image_file AS c SET hash = NULL, entry = '', etag = NULL, fetched_at = NULL
                        WHERE \(isBroken)
                        """)
            } else {
                try db.execute(sql: "DELETE FROM \"\(broken.table)\" AS c WHERE \(isBroken)")
            }
        }
    }

    private func mendLists(_ db: Database) throws {
        let reset = "UPDATE list SET etag = NULL, complete = 0, pending = 0"
        try db.execute(sql: "\(reset) WHERE url IN (SELECT url FROM (\(DefectSQL.listLengths)))")
        for kind in DefectSQL.owners {
            try db.execute(sql: "DELETE \(DefectSQL.ownerless(kind))")
        }
        for counted in DefectSQL.counted {
            try db.execute(sql: "\(reset) WHERE url IN (SELECT url FROM (\(DefectSQL.members(counted))))")
        }
    }

    private func mendObjects(_ db: Database) throws {
        for kind in ObjectKind.allCases {
            try db.execute(
                sql:
                    "UPDATE \"\(kind.table)\" SET etag = NULL, refetch = 1 WHERE \(DefectSQL.isBodyless(kind))"
            )
            let key = kind == .document ? "pk" : "id"
            let unserved = try Row.fetchAll(
                db,
                sql:
                    "SELECT \(key), coalesce(served, json) FROM \"\(kind.table)\" WHERE \(DefectSQL.isUnserved)"
            )
            for row in unserved {
                let body: String = row[1]
                try db.execute(
                    sql: "UPDATE \"\(kind.table)\" SET served_etag = ? WHERE \(key) = ?",
                    arguments: [EntityTag.strong(of: body), row[0] as DatabaseValue])
            }
        }
        for kind in [ObjectKind.artwork, .show] {
            try db.execute(sql: "DELETE FROM image WHERE \(DefectSQL.isPictureOfGhost(kind))")
        }
    }

    /// An index that contradicts its table is made anew; nothing else of a damaged file can be mended.
    private func reindexed() throws -> [String] {
        func problems() throws -> [String] {
            try read { try String.fetchAll($0, sql: "PRAGMA integrity_check(100)") }.filter { $0 != "ok" }
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
            try Row.fetchAll(
                db,
                sql: """
                    SELECT w.id, o.json FROM (\(DefectSQL.pictures)) w JOIN artwork o ON o.id = w.id
                    WHERE w.id > ? ORDER BY w.id LIMIT ?
                    """, arguments: [id, limit]
            ).map { ($0[0], $0[1]) }
        }
    }

    /// Makes the artists, edition sets and pictures of objects anew from what is stored of the objects.
    package func rewriteParts(of records: [ObjectRecord]) throws {
        let at = timestamp()
        try write { db in
            let writer = try ObjectWriter(log: ChangeLog(db: db, run: nil, at: at))
            for record in records { try writer.writeParts(record, replacing: true, isNoted: false) }
        }
    }
}
