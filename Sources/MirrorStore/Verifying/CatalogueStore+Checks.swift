import Catalogue
import GRDB

/// A check of the database's contents.
///
/// A check runs queries that return the defects. Rows are read one by one, so memory use doesn't depend on the mirror's size.
package enum StoreCheck: String, Sendable, CaseIterable {
    case integrity, references, lists, members, objects, pictures, search, files
}

extension CatalogueStore {
    /// Runs one check.
    ///
    /// - Parameter body: called for each defect, in a stable order.
    package func check(_ check: StoreCheck, _ body: (StoreDefect) throws -> Void) throws {
        if check == .integrity { return try checkIntegrity(body) }
        // The next run updates an index that is behind, so differences from it are no defects.
        let isIndexUpToDate = try check == .search && !isIndexBehind()
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
            case .search: if isIndexUpToDate { try findInIndex(find) }
            case .files: try findInFiles(find)
            }
        }
        if check == .search, try !isIndexIntact() { try body(.indexDamaged) }
    }

    private typealias Find = (_ sql: String, _ defect: (Row) -> StoreDefect?) throws -> Void

    /// Runs SQLite's integrity check, which reports at most 100 problems, and looks for missing tables and indexes.
    private func checkIntegrity(_ body: (StoreDefect) throws -> Void) throws {
        let messages = try read { try $0.texts("PRAGMA integrity_check(100)") }
        for message in messages where message != "ok" { try body(.damaged(message)) }
        for part in try read({ try Schema.missingParts(of: kinds, in: $0) }) {
            try body(.partMissing(type: part.type, name: part.name))
        }
    }

    /// Compares the partner's own complete lists with the stored objects.
    private func findInLists(_ find: Find) throws {
        try find(DefectSQL.listLengths) { .listLength(list: $0[0], listed: $0[1], stored: $0[2]) }
        for kind in kinds.listed {
            try find(DefectSQL.absent(kind)) { .absent(kind, $0[0]) }
            try find(DefectSQL.unlisted(kind)) { .unlisted(kind, $0[0]) }
        }
    }

    /// Compares lists under objects with their stored members, except lists whose members are still to be joined.
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
                        list: $0[0], owner: Owner(kind, $0[1]), name: list.rawValue, listed: $0[2],
                        stored: $0[3])
                }
            }
        }
    }

    private func findInObjects(_ find: Find) throws {
        for kind in kinds.all {
            let ids = "SELECT id FROM \"\(kind.table)\" WHERE"
            try find("\(ids) \(DefectSQL.hasNoBody(kind)) ORDER BY id") { .withoutBody(kind, $0[0]) }
            try find("\(ids) \(DefectSQL.isUnserved) ORDER BY id") { .unserved(kind, $0[0]) }
        }
    }

    private func findInPictures(_ find: Find) throws {
        try find(DefectSQL.pictures) { .pictures(artwork: $0[0], listed: $0[1], stored: $0[2]) }
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
        try find("\(files) \(DefectSQL.isUntracked) ORDER BY hash") {
            StoredFile(row: $0, from: 0).map(StoreDefect.untracked)
        }
        let isOverdue = "released_at < '\(releaseLimit)' AND NOT (\(DefectSQL.isReleasedInUse))"
        try find("\(files) \(isOverdue) ORDER BY hash") { row in
            StoredFile(row: row, from: 0).map { .overdue($0, since: row[4]) }
        }
    }

    // MARK: - Search

    private func findInIndex(_ find: Find) throws {
        for kind in [Kind.artwork, .artist, .show, .location] {
            try find(DefectSQL.notIndexed(kind)) { .notIndexed(kind, $0[0]) }
        }
        try find(DefectSQL.staleIndexEntries) { .staleIndexEntry(kind: $0[0], id: $0[1]) }
    }

    /// Compares the numbers of the index for lists with each other, unless the index is behind, and runs FTS5's check of the
    /// search index.
    ///
    /// FTS5 can't compare the indexes of orders with their contents, which they don't store. Its command has the form of a
    /// write, but changes nothing. So FTS5 refuses it in a read-only database; then the check runs on a copy in one of
    /// SQLite's temporary files.
    private func isIndexIntact() throws -> Bool {
        let check = "INSERT INTO search (search) VALUES ('integrity-check')"
        do {
            guard try isIndexBehind() || !read({ try $0.isTrue(DefectSQL.isListIndexIncomplete) }) else {
                return false
            }
            guard isReadOnly else {
                try write(isServed: false) { try $0.execute(sql: check) }
                return true
            }
            try withStoreErrors {
                let copy = try DatabaseQueue(path: "")
                do {
                    try pool.backup(to: copy)
                } catch let error as DatabaseError
                    where [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode)
                {
                    throw StoreError(
                        .diskFull,
                        "There isn't enough disk space in the temporary folder to check the search index, which needs as much as the database. Free some, or set SQLITE_TMPDIR to another folder.",
                        cause: "\(error)")
                }
                try copy.write { try $0.execute(sql: check) }
            }
            return true
        } catch let error as StoreError where error.code == .damaged {
            return false
        }
    }

    // MARK: - Gaps

    /// Documents whose file was not fetched since their entry last changed. Only a mirror with media needs these files.
    package func documentsWithoutFile(_ body: (Owner, String) throws -> Void) throws {
        let sql = """
            SELECT show_id, artist_id, id FROM document WHERE uri IS NOT NULL AND file_entry IS NULL ORDER BY pk
            """
        try read { try $0.forEach(sql) { try body(Owner(ofDocument: $0), $0[2]) } }
    }
}
