import Catalogue
import GRDB

extension CatalogueStore {
    /// Records that copies of files are damaged, and marks these files to be fetched again, in one transaction.
    ///
    /// The copies stay on the disk.
    ///
    /// - Parameter found: the files, each with the digest of the bytes on the disk; `nil` if they can't be read.
    package func markDamaged(_ found: [(file: StoredFile, digest: String?)]) throws {
        let at = timestamp()
        try write { db in
            for (file, digest) in found {
                try DamagedRows(db: db, kinds: kinds).mark(file, digest: digest, at: at)
                try Self.forgetFile(file.hash, in: db)
            }
        }
    }

    /// All damaged copies that are kept, ordered by digest.
    package func damagedFiles() throws -> [DamagedFile] {
        try read { try DamagedRows(db: $0, kinds: kinds).all() }
    }

    /// The damaged copy of the file of a picture or document; `nil` if there is none.
    ///
    /// - Returns: the copy's path, and the digest of its bytes, if that is known.
    package func damagedCopy(of use: FileUse) throws -> (digest: String?, path: String)? {
        try read { db in
            let sql = "SELECT digest, path FROM damaged_file WHERE \(FileUse.condition) LIMIT 1"
            return try db.row(sql, use.key).map { ($0[0], $0[1]) }
        }
    }

    /// Makes the next sync request the files again of which a damaged copy is kept. Idempotent.
    package func requestDamagedFilesAgain() throws {
        try write { db in
            let rows = DamagedRows(db: db, kinds: kinds)
            for damaged in try rows.all() where damaged.fate != .goes {
                try damaged.uses.forEach(rows.requestAgain)
            }
        }
    }

    /// Removes the damaged copies that were replaced, and sets aside those that the server can't replace.
    ///
    /// Call it under the run lock, after the commit. Rows of copies that were deleted by hand are deleted. Idempotent.
    package func settleDamaged(in files: FileStore) throws {
        let setAside = try files.setAsideFiles(), all = try damagedFiles()
        var settled: [String] = []
        for damaged in all {
            let (inPlace, aside) = files.copies(of: damaged, among: setAside)
            let copies = [inPlace].compactMap(\.self) + aside
            let isReplaced = damaged.fate == .goes && damaged.replacements.allSatisfy(files.has)
            if isReplaced {
                for copy in copies { try files.removeDamaged(copy) }
            } else if damaged.fate == .isSetAside, let inPlace {
                try files.setAside(inPlace)
            }
            if isReplaced || copies.isEmpty { settled.append(damaged.file.hash) }
        }
        if !settled.isEmpty {
            try write { db in
                for hash in settled { try db.run("DELETE FROM damaged_file WHERE hash = ?", [hash]) }
            }
        }
        // Copies that an earlier database recorded have no rows in this one.
        let known = Set(all.map(\.file.hash))
        for (hash, paths) in setAside where !known.contains(hash) {
            guard let file = try storedFile(hash), files.has(file) else { continue }
            for path in paths { try files.removeDamaged(path) }
        }
    }
}

extension FileUse {
    /// SQL: whether a row of `damaged_file` belongs to the use whose ``key`` is bound.
    fileprivate static let condition =
        "owner_id = ? AND owner_kind = ? AND role = ? AND id = ? AND format IS ?"

    fileprivate var key: StatementArguments { [owner.id, owner.kind.name, role, id, format] }
}

/// Reads and writes the table `damaged_file`.
///
/// The table has one row for each picture or document that used the file, or a single row without one if nothing used it.
struct DamagedRows {
    let db: Database
    let kinds: Kinds

    func mark(_ file: StoredFile, digest: String?, at: String) throws {
        // The rows of an earlier damaged copy are out of date: the copy that replaced it is damaged now.
        try db.run("DELETE FROM damaged_file WHERE hash = ?", [file.hash])
        let columns = "hash, size, path, type, digest, found_at"
        let values: StatementArguments = [file.hash, file.size, file.path, file.type, digest, at]
        try db.run(
            """
            INSERT INTO damaged_file (\(columns), owner_kind, owner_id, role, id, format)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, iif(i.artwork_id IS NULL, 'show', 'artwork'),
              coalesce(i.artwork_id, i.show_id), i.role, i.id, f.format
            FROM image_file f JOIN image i ON i.pk = f.image WHERE f.hash = ?1
            UNION ALL SELECT ?1, ?2, ?3, ?4, ?5, ?6, iif(show_id IS NULL, 'artist', 'show'),
              coalesce(show_id, artist_id), 'document', id, NULL
            FROM document WHERE file = ?1
            """, values)
        guard db.changesCount == 0 else { return }
        try db.run("INSERT INTO damaged_file (\(columns)) VALUES (?, ?, ?, ?, ?, ?)", values)
    }

    func noteRefused(_ use: FileUse) throws {
        try db.run("UPDATE damaged_file SET refused = 1 WHERE \(FileUse.condition)", use.key)
    }

    /// Marks a picture or document without a file as never fetched, so that the next sync requests it.
    func requestAgain(_ use: FileUse) throws {
        guard let format = use.format else {
            return try db.run(
                """
                UPDATE document SET file_entry = NULL, file_etag = NULL, file_last_modified = NULL
                WHERE \(use.owner.kind.idColumn) = ? AND id = ? AND file IS NULL
                """, [use.owner.id, use.id])
        }
        try db.run(
            """
            UPDATE image_file SET entry = '', etag = NULL, last_modified = NULL, fetched_at = NULL
            WHERE format = ? AND hash IS NULL
              AND image = (SELECT pk FROM image WHERE \(use.owner.kind.idColumn) = ? AND role = ? AND id = ?)
            """, [format, use.owner.id, use.role, use.id])
    }

    /// All damaged copies, with the state of each picture or document that used them.
    ///
    /// A format of a picture is wanted as long as `image_file` has a row for it: the end of a run deletes the rows without a
    /// file whose format is not wanted.
    func all() throws -> [DamagedFile] {
        let sql = """
            SELECT d.hash, d.size, d.path, d.type, d.owner_kind, d.owner_id, d.role, d.id, d.format, d.refused,
              coalesce(f.image, o.pk, p.pk) IS NOT NULL,
              t.hash, t.size, t.path, t.type, n.hash, n.size, n.path, n.type
            FROM damaged_file d LEFT JOIN file t ON t.hash = d.hash
            LEFT JOIN image i ON d.owner_kind = 'artwork' AND i.artwork_id = d.owner_id AND i.role = d.role AND i.id = d.id
            LEFT JOIN image s ON d.owner_kind = 'show' AND s.show_id = d.owner_id AND s.role = d.role AND s.id = d.id
            LEFT JOIN image_file f ON f.image = coalesce(i.pk, s.pk) AND f.format = d.format
            LEFT JOIN document o ON d.role = 'document' AND d.owner_kind = 'show' AND o.show_id = d.owner_id AND o.id = d.id
            LEFT JOIN document p ON d.role = 'document' AND d.owner_kind = 'artist' AND p.artist_id = d.owner_id
              AND p.id = d.id
            LEFT JOIN file n ON n.hash = coalesce(f.hash, o.file, p.file) ORDER BY d.hash, d.rowid
            """
        var found: [DamagedFile] = []
        try db.forEach(sql) { row in
            guard let file = StoredFile(row: row, from: 0) else { return }
            if found.last?.file.hash != file.hash {
                found.append(DamagedFile(file: file, twin: StoredFile(row: row, from: 11)))
            }
            guard let name: String = row[4], let kind = kinds[name] else { return }
            let use = FileUse(owner: Owner(kind, row[5]), role: row[6], id: row[7], format: row[8])
            let isRefused: Bool = row[9], isWanted: Bool = row[10], now = StoredFile(row: row, from: 15)
            found[found.count - 1].add(
                use, now.map { .replaced($0) } ?? (isRefused || !isWanted ? .refused : .wanted))
        }
        return found
    }
}
