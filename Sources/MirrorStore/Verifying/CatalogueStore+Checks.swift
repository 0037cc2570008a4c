import Catalogue
import GRDB

/// One look at the database as a whole.
///
/// Every check is a query whose rows are what is wrong, read one by one: memory stays flat however large the mirror is.
package enum StoreCheck: String, Sendable, CaseIterable {
    case integrity, references, lists, members, objects, pictures, search, files
}

extension CatalogueStore {
    /// Carries out one check.
    ///
    /// - Parameter body: told of each defect, in a stable order.
    package func check(_ check: StoreCheck, _ body: (StoreDefect) throws -> Void) throws {
        switch check {
        case .integrity: try checkIntegrity(body)
        case .references:
            try read { for broken in try BrokenReference.all(in: $0) { try body(.reference(broken)) } }
        case .lists: try checkLists(body)
        case .members: try checkMembers(body)
        case .objects: try checkObjects(body)
        case .pictures: try checkPictures(body)
        case .search: try checkSearch(body)
        case .files: try checkFiles(body)
        }
    }

    /// At most 100 sentences of SQLite's.
    private func checkIntegrity(_ body: (StoreDefect) throws -> Void) throws {
        let said = try read { try String.fetchAll($0, sql: "PRAGMA integrity_check(100)") }
        for sentence in said where sentence != "ok" { try body(.damaged(sentence)) }
        for part in try read({ try Schema.missingParts(of: kinds, in: $0) }) {
            try body(.partMissing(type: part.type, name: part.name))
        }
    }

    // MARK: - Lists

    /// The partner's own lists that were answered completely, each beside its kind.
    private func checkLists(_ body: (StoreDefect) throws -> Void) throws {
        try read { db in
            for row in try Row.fetchAll(db.cachedStatement(sql: DefectSQL.listLengths)) {
                try body(.listLength(list: row[0], said: row[1], stored: row[2]))
            }
            for kind in Kinds.standard.listed {
                let absent = try String.fetchCursor(db.cachedStatement(sql: DefectSQL.absent(kind)))
                while let id = try absent.next() { try body(.absent(kind, id)) }
                let unlisted = try String.fetchCursor(db.cachedStatement(sql: DefectSQL.unlisted(kind)))
                while let id = try unlisted.next() { try body(.unlisted(kind, id)) }
            }
        }
    }

    /// Lists under objects: those whose members don't wait to be joined.
    private func checkMembers(_ body: (StoreDefect) throws -> Void) throws {
        try read { db in
            for kind in DefectSQL.owners {
                let rows = try Row.fetchCursor(
                    db.cachedStatement(sql: "SELECT url, owner_id \(DefectSQL.ownerless(kind))"))
                while let row = try rows.next() {
                    try body(.ownerless(list: row[0], owner: Owner(kind, row[1])))
                }
            }
            for counted in DefectSQL.counted {
                let rows = try Row.fetchCursor(db.cachedStatement(sql: DefectSQL.members(counted)))
                while let row = try rows.next() {
                    try body(
                        .members(
                            list: row[0], owner: Owner(counted.owner, row[1]), name: counted.name,
                            said: row[2],
                            stored: row[3]))
                }
            }
        }
    }

    // MARK: - Objects

    private func checkObjects(_ body: (StoreDefect) throws -> Void) throws {
        try read { db in
            for kind in Kinds.standard.all {
                let bodyless = try String.fetchCursor(
                    db.cachedStatement(
                        sql:
                            "SELECT id FROM \"\(kind.table)\" WHERE \(DefectSQL.isBodyless(kind)) ORDER BY id"
                    ))
                while let id = try bodyless.next() { try body(.bodyless(kind, id)) }
                let unserved = try String.fetchCursor(
                    db.cachedStatement(
                        sql: "SELECT id FROM \"\(kind.table)\" WHERE \(DefectSQL.isUnserved) ORDER BY id"))
                while let id = try unserved.next() { try body(.unserved(kind, id)) }
            }
        }
    }

    private func checkPictures(_ body: (StoreDefect) throws -> Void) throws {
        try read { db in
            let counts = try Row.fetchCursor(db.cachedStatement(sql: DefectSQL.pictures))
            while let row = try counts.next() {
                try body(.pictures(artwork: row[0], said: row[1], stored: row[2]))
            }
            for kind in [Kind.artwork, .show] {
                let ghosts = try Row.fetchCursor(
                    db.cachedStatement(
                        sql:
                            "SELECT \(kind.name)_id, id FROM image WHERE \(DefectSQL.isPictureOfGhost(kind))"
                    ))
                while let row = try ghosts.next() {
                    try body(.pictureOfGhost(Owner(kind, row[0]), image: row[1]))
                }
            }
            let lost = try Row.fetchCursor(db.cachedStatement(sql: DefectSQL.lostPictures))
            while let row = try lost.next() {
                let owner: String = row[0], kind: String = row[1]
                try body(.lost(Owner(Kinds.standard[kind] ?? .artwork, owner), file: row[2]))
            }
        }
    }

    // MARK: - Search

    private func checkSearch(_ body: (StoreDefect) throws -> Void) throws {
        // What is not in it yet, or still is, the next run sees to.
        if try !isIndexBehind() { try checkIndex(body) }
        do {
            try isReadOnly
                ? checkCopyOfIndex()
                : probe { try $0.execute(sql: "INSERT INTO search (search) VALUES ('integrity-check')") }
        } catch let error as StoreError where error.code == .damaged {
            try body(.indexDamaged)
        }
    }

    /// For commands of SQLite's extensions that look like writes and only look: nothing of it stays.
    private func probe(_ body: (Database) throws -> Void) throws {
        struct Undone: Error {}
        do {
            try write(isServed: false) { db in
                try body(db)
                throw Undone()
            }
        } catch is Undone {}
    }

    /// FTS5 checks only an index that it might write: where the database can't be written, a copy of its tables, in SQLite's
    /// own temporary file.
    private func checkCopyOfIndex() throws {
        try probe { db in
            try db.execute(
                sql: Schema.searchIndex.replacing("TABLE search USING", with: "TABLE temp.searched USING"))
            for part in ["data", "idx", "content", "docsize", "config"] {
                try db.execute(sql: "DELETE FROM temp.searched_\(part)")
                try db.execute(sql: "INSERT INTO temp.searched_\(part) SELECT * FROM main.search_\(part)")
            }
            try db.execute(sql: "INSERT INTO temp.searched (searched) VALUES ('integrity-check')")
        }
    }

    private func checkIndex(_ body: (StoreDefect) throws -> Void) throws {
        try read { db in
            for kind in [Kind.artwork, .artist] {
                let missing = try String.fetchCursor(db.cachedStatement(sql: DefectSQL.notIndexed(kind)))
                while let id = try missing.next() { try body(.notIndexed(kind, id)) }
            }
            let vain = try Row.fetchCursor(db.cachedStatement(sql: DefectSQL.indexedInVain))
            while let row = try vain.next() { try body(.indexedInVain(kind: row[0], id: row[1])) }
        }
    }

    // MARK: - Files

    private func checkFiles(_ body: (StoreDefect) throws -> Void) throws {
        let limit = releaseLimit
        try read { db in
            let used = try Row.fetchCursor(
                db.cachedStatement(
                    sql:
                        "SELECT hash, size, path, type FROM file WHERE \(DefectSQL.isReleasedInUse) ORDER BY hash"
                ))
            while let row = try used.next() {
                if let file = StoredFile(row: row, from: 0) { try body(.releasedInUse(file)) }
            }
            let unnoticed = try Row.fetchCursor(
                db.cachedStatement(
                    sql:
                        "SELECT hash, size, path, type FROM file WHERE \(DefectSQL.isUnnoticed) ORDER BY hash"
                ))
            while let row = try unnoticed.next() {
                if let file = StoredFile(row: row, from: 0) { try body(.unnoticed(file)) }
            }
            let overdue = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT hash, size, path, type, released_at FROM file
                        WHERE released_at < ? AND NOT (\(DefectSQL.isReleasedInUse)) ORDER BY hash
                        """), arguments: [limit])
            while let row = try overdue.next() {
                if let file = StoredFile(row: row, from: 0) { try body(.overdue(file, since: row[4])) }
            }
        }
    }

    /// Documents whose bytes were not fetched since their entry last changed: a gap where media are wanted.
    package func documentsWithoutFile(_ body: (Owner, String) throws -> Void) throws {
        try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT show_id, artist_id, id FROM document WHERE uri IS NOT NULL AND file_entry IS NULL
                    ORDER BY pk
                    """)
            while let row = try rows.next() {
                let show: String? = row[0], artist: String? = row[1]
                try body(Owner(show == nil ? .artist : .show, show ?? artist ?? ""), row[2])
            }
        }
    }
}

extension BrokenReference {
    /// What `PRAGMA foreign_key_check` finds, by table, and by what is referred to.
    static func all(in db: Database) throws -> [BrokenReference] {
        let found = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT "table", parent, fkid, count(*) FROM pragma_foreign_key_check
                    GROUP BY 1, 2, 3 ORDER BY 1, 3
                    """))
        return try found.flatMap { row -> [BrokenReference] in
            let table: String = row[0], target: String = row[1], rows: Int = row[3]
            let keys = try Row.fetchAll(
                db, sql: "SELECT \"from\", \"to\" FROM pragma_foreign_key_list(?) WHERE id = ?",
                arguments: [table, row[2] as Int])
            guard let key = keys.first else { return [] }
            let column: String = key[0], targetColumn: String = key[1]
            let named: [(id: String?, rows: Int)] = try Row.fetchAll(
                db,
                sql: """
                    SELECT CAST("\(column)" AS TEXT), count(*) FROM "\(table)" c
                    WHERE \(isBroken(column, target, targetColumn)) GROUP BY 1 ORDER BY 1 LIMIT 1000
                    """
            ).map { ($0[0], $0[1]) }
            return (named.isEmpty ? [(id: nil, rows: rows)] : named).map { one in
                BrokenReference(
                    table: table, column: column, target: target, targetColumn: targetColumn,
                    id: one.id, rows: one.rows)
            }
        }
    }

    /// The condition that a row `c` refers to what isn't there. Names are the schema's own.
    static func isBroken(_ column: String, _ target: String, _ targetColumn: String) -> String {
        """
        c."\(column)" IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM "\(target)" p WHERE p."\(targetColumn)" = c."\(column)")
        """
    }
}
