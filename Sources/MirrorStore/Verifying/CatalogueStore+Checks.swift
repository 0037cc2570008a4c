import Catalogue
import GRDB

/// One check of the database as a whole.
///
/// Every check is a query whose rows are what is wrong, read one by one: memory stays flat however large the mirror is.
package enum StoreCheck: String, Sendable, CaseIterable {
    case integrity, references, lists, members, objects, pictures, search, files
}

extension CatalogueStore {
    /// Carries out one check.
    ///
    /// - Parameter body: called for each defect, in a stable order.
    package func check(_ check: StoreCheck, _ body: (StoreDefect) throws -> Void) throws {
        if check == .integrity { return try checkIntegrity(body) }
        // What is not in it yet, or still is, the next run sees to.
        let isIndexWhole = try check == .search && !isIndexBehind()
        try read { db in
            func find(_ sql: String, _ defect: (Row) -> StoreDefect?) throws {
                try db.forEach(sql) { row in
                    if let defect = defect(row) { try body(defect) }
                }
            }
            switch check {
            case .integrity: break
            case .references: for broken in try BrokenReference.all(in: db) { try body(.reference(broken)) }
            case .lists: try findInLists(find)
            case .members: try findInMembers(find)
            case .objects: try findInObjects(find)
            case .pictures: try findInPictures(find)
            case .search: if isIndexWhole { try findInIndex(find) }
            case .files: try findInFiles(find)
            }
        }
        if check == .search { try checkIndex(body) }
    }

    private typealias Find = (_ sql: String, _ defect: (Row) -> StoreDefect?) throws -> Void

    /// At most 100 sentences of SQLite's.
    private func checkIntegrity(_ body: (StoreDefect) throws -> Void) throws {
        let said = try read { try $0.texts("PRAGMA integrity_check(100)") }
        for sentence in said where sentence != "ok" { try body(.damaged(sentence)) }
        for part in try read({ try Schema.missingParts(of: kinds, in: $0) }) {
            try body(.partMissing(type: part.type, name: part.name))
        }
    }

    /// The partner's own lists that were answered completely, each beside its kind.
    private func findInLists(_ find: Find) throws {
        try find(DefectSQL.listLengths) { .listLength(list: $0[0], said: $0[1], stored: $0[2]) }
        for kind in kinds.listed {
            try find(DefectSQL.absent(kind)) { .absent(kind, $0[0]) }
            try find(DefectSQL.unlisted(kind)) { .unlisted(kind, $0[0]) }
        }
    }

    /// Lists under objects: those whose members don't wait to be joined.
    private func findInMembers(_ find: Find) throws {
        let owners = kinds.all.filter { !$0.lists.isEmpty }
        for kind in owners {
            try find("SELECT url, owner_id \(DefectSQL.ownerless(kind))") {
                .ownerless(list: $0[0], owner: Owner(kind, $0[1]))
            }
        }
        for kind in owners {
            for list in kind.lists {
                try find(DefectSQL.members(kind, list)) {
                    .members(
                        list: $0[0], owner: Owner(kind, $0[1]), name: list.rawValue, said: $0[2],
                        stored: $0[3])
                }
            }
        }
    }

    private func findInObjects(_ find: Find) throws {
        for kind in kinds.all {
            let ids = "SELECT id FROM \"\(kind.table)\" WHERE"
            try find("\(ids) \(DefectSQL.isBodyless(kind)) ORDER BY id") { .bodyless(kind, $0[0]) }
            try find("\(ids) \(DefectSQL.isUnserved) ORDER BY id") { .unserved(kind, $0[0]) }
        }
    }

    private func findInPictures(_ find: Find) throws {
        try find(DefectSQL.pictures) { .pictures(artwork: $0[0], said: $0[1], stored: $0[2]) }
        for kind in kinds.all where kind.hasPictures {
            try find("SELECT \(kind.idColumn), id FROM image WHERE \(DefectSQL.isPictureOfGhost(kind))") {
                .pictureOfGhost(Owner(kind, $0[0]), image: $0[1])
            }
        }
        try find(DefectSQL.lostPictures) { .lost(Owner(kinds[$0[1]] ?? .artwork, $0[0]), file: $0[2]) }
    }

    private func findInFiles(_ find: Find) throws {
        let files = "SELECT hash, size, path, type, released_at FROM file WHERE"
        try find("\(files) \(DefectSQL.isReleasedInUse) ORDER BY hash") {
            StoredFile(row: $0, from: 0).map(StoreDefect.releasedInUse)
        }
        try find("\(files) \(DefectSQL.isUnnoticed) ORDER BY hash") {
            StoredFile(row: $0, from: 0).map(StoreDefect.unnoticed)
        }
        let isOverdue = "released_at < '\(releaseLimit)' AND NOT (\(DefectSQL.isReleasedInUse))"
        try find("\(files) \(isOverdue) ORDER BY hash") { row in
            StoredFile(row: row, from: 0).map { .overdue($0, since: row[4]) }
        }
    }

    // MARK: - Search

    private func findInIndex(_ find: Find) throws {
        for kind in [Kind.artwork, .artist] {
            try find(DefectSQL.notIndexed(kind)) { .notIndexed(kind, $0[0]) }
        }
        try find(DefectSQL.indexedInVain) { .indexedInVain(kind: $0[0], id: $0[1]) }
    }

    /// FTS5 checks only an index that it might write: where the database can't be written, that of a copy in SQLite's own
    /// temporary file. The command looks like a write, and changes nothing.
    private func checkIndex(_ body: (StoreDefect) throws -> Void) throws {
        let check = "INSERT INTO search (search) VALUES ('integrity-check')"
        do {
            guard isReadOnly else { return try write(isServed: false) { try $0.execute(sql: check) } }
            try mapped {
                let copy = try DatabaseQueue(path: "")
                do {
                    try pool.backup(to: copy)
                } catch let error as DatabaseError
                    where [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode)
                {
                    throw StoreError(
                        .diskFull,
                        "There is no room in the temporary folder to check the search index, which takes as much as the database. Free some, or name another with SQLITE_TMPDIR.",
                        cause: "\(error)")
                }
                try copy.write { try $0.execute(sql: check) }
            }
        } catch let error as StoreError where error.code == .damaged {
            try body(.indexDamaged)
        }
    }

    // MARK: - Gaps

    /// Documents whose bytes were not fetched since their entry last changed: a gap where media are wanted.
    package func documentsWithoutFile(_ body: (Owner, String) throws -> Void) throws {
        let sql = """
            SELECT show_id, artist_id, id FROM document WHERE uri IS NOT NULL AND file_entry IS NULL ORDER BY pk
            """
        try read { try $0.forEach(sql) { try body(Owner(ofDocument: $0), $0[2]) } }
    }
}
