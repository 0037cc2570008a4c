import Catalogue
import GRDB

extension CatalogueStore {
    /// Notes that the copies of files are damaged, in one transaction with the mark that they have to be fetched again. The
    /// copies stay.
    ///
    /// - Parameter found: each with the digest of the bytes on the disk, if they can be read.
    package func markDamaged(_ found: [(file: StoredFile, digest: String?)]) throws {
        let at = timestamp()
        try write { db in
            for (file, digest) in found {
                try DamagedRows(db: db, kinds: kinds).mark(file, digest: digest, at: at)
                try Self.forgetFile(file.hash, in: db)
            }
        }
    }

    /// All that are kept, in order of their digests.
    package func damagedFiles() throws -> [DamagedFile] {
        try read { try DamagedRows(db: $0, kinds: kinds).all() }
    }

    /// The damaged copy of what was fetched for a use: its path, and the digest of its bytes, if that is known.
    package func damagedCopy(of use: FileUse) throws -> (digest: String?, path: String)? {
        try read { db in
            let sql = "SELECT digest, path FROM damaged_file WHERE \(FileUse.condition) LIMIT 1"
            return try db.row(sql, use.key).map { ($0[0], $0[1]) }
        }
    }

    /// Makes the next sync request everything again of which a damaged copy is kept.
    package func askAgainForDamaged() throws {
        try write { db in
            let rows = DamagedRows(db: db, kinds: kinds)
            for damaged in try rows.all() where damaged.fate != .goes { try damaged.uses.forEach(rows.ask) }
        }
    }

    /// Removes the damaged copies that were replaced, and sets those aside that the server can't replace.
    ///
    /// Called under the run lock, after the commit. Rows of copies that were deleted by hand are forgotten. Idempotent.
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
        // Of copies of an earlier database there are no rows.
        let known = Set(all.map(\.file.hash))
        for (hash, paths) in setAside where !known.contains(hash) {
            guard let file = try storedFile(hash), files.has(file) else { continue }
            for path in paths { try files.removeDamaged(path) }
        }
    }
}

extension FileUse {
    /// SQL: whether a row of `damaged_file` is of the use whose ``key`` is given.
    fileprivate static let condition =
        "owner_id = ? AND owner_kind = ? AND role = ? AND id = ? AND format IS ?"

    fileprivate var key: StatementArguments { [owner.id, owner.kind.name, role, id, format] }
}

/// The rows of `damaged_file`: one for each picture or document that had the file, or one without if nothing had.
struct DamagedRows {
    let db: Database
    let kinds: Kinds

    func mark(_ file: StoredFile, digest: String?, at: String) throws {
        // An earlier copy of it had been replaced by the one that is damaged now.
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

    /// What has no file yet is marked as never fetched.
    func ask(_ use: FileUse) throws {
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

    /// Each copy, what had it, whether that is still wanted, the intact file of that digest, and the file that it has now.
    ///
    /// A picture's format is wanted as long as it has a row: the end of a run deletes rows without a file whose format that
    /// run doesn't want.
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
