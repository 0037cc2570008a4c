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
                try DamagedRows(db: db).mark(file, digest: digest, at: at)
                try Self.forgetFile(file.hash, in: db)
            }
        }
    }

    /// All that are kept, in order of their digests.
    package func damagedFiles() throws -> [DamagedFile] { try read { try DamagedRows(db: $0).all() } }

    /// The damaged copy of what was fetched for a use: its path, and the digest of its bytes, if that is known.
    package func damagedCopy(of use: FileUse) throws -> (digest: String?, path: String)? {
        try read { try DamagedRows(db: $0).copy(of: use) }
    }

    /// Makes the next sync request everything again of which a damaged copy is kept.
    package func askAgainForDamaged() throws {
        try write { db in
            for damaged in try DamagedRows(db: db).all() where damaged.fate != .goes {
                for use in damaged.uses { try DamagedRows(db: db).ask(use) }
            }
        }
    }

    /// Removes the damaged copies that were replaced, and sets those aside that the server can't replace.
    ///
    /// Called under the run lock, after the commit. Rows of copies that were deleted by hand are forgotten. Idempotent.
    package func settleDamaged(in files: FileStore) throws {
        let setAside = try files.setAsideFiles(), all = try damagedFiles()
        var settled: [String] = []
        for damaged in all {
            let copies = files.copies(of: damaged, among: setAside)
            let isReplaced = damaged.fate == .goes && damaged.replacements.allSatisfy(files.has)
            if isReplaced {
                for copy in copies.all { try files.removeDamaged(copy) }
            } else if damaged.fate == .isSetAside, let copy = copies.inPlace {
                try files.setAside(copy)
            }
            if isReplaced || copies.all.isEmpty { settled.append(damaged.file.hash) }
        }
        try forgetDamaged(settled)
        // Of copies of an earlier database there are no rows.
        let known = Set(all.map(\.file.hash))
        for (hash, paths) in setAside where !known.contains(hash) {
            guard let file = try storedFile(hash), files.has(file) else { continue }
            for path in paths { try files.removeDamaged(path) }
        }
    }

    /// The file of a digest.
    package func storedFile(_ hash: String) throws -> StoredFile? {
        try read { db in
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT hash, size, path, type FROM file WHERE hash = ?"),
                arguments: [hash]
            ).flatMap { StoredFile(row: $0, from: 0) }
        }
    }

    private func forgetDamaged(_ hashes: [String]) throws {
        guard !hashes.isEmpty else { return }
        try write { db in
            let delete = try db.cachedStatement(sql: "DELETE FROM damaged_file WHERE hash = ?")
            for hash in hashes { try delete.execute(arguments: [hash]) }
        }
    }
}

/// The rows of `damaged_file`: one for each picture or document that had the file, or one without if nothing had.
struct DamagedRows {
    let db: Database

    func mark(_ file: StoredFile, digest: String?, at: String) throws {
        // An earlier copy of it had been replaced by the one that is damaged now.
        try db.execute(sql: "DELETE FROM damaged_file WHERE hash = ?", arguments: [file.hash])
        let columns = "hash, size, path, type, digest, found_at, owner_kind, owner_id, role, id, format"
        try db.execute(
            sql: """
                INSERT INTO damaged_file (\(columns))
                SELECT ?1, ?2, ?3, ?4, ?5, ?6, iif(i.artwork_id IS NULL, 'show', 'artwork'),
                  coalesce(i.artwork_id, i.show_id), i.role, i.id, f.format
                FROM image_file f JOIN image i ON i.pk = f.image WHERE f.hash = ?1
                UNION ALL SELECT ?1, ?2, ?3, ?4, ?5, ?6, iif(show_id IS NULL, 'artist', 'show'),
                  coalesce(show_id, artist_id), 'document', id, NULL
                FROM document WHERE file = ?1
                """, arguments: [file.hash, file.size, file.path, file.type, digest, at])
        guard db.changesCount == 0 else { return }
        try db.execute(
            sql:
                "INSERT INTO damaged_file (hash, size, path, type, digest, found_at) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [file.hash, file.size, file.path, file.type, digest, at])
    }

    func noteRefused(_ use: FileUse) throws {
        try db.cachedStatement(sql: "UPDATE damaged_file SET refused = 1 WHERE \(Self.isOfUse)")
            .execute(arguments: Self.arguments(use))
    }

    func copy(of use: FileUse) throws -> (digest: String?, path: String)? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT digest, path FROM damaged_file WHERE \(Self.isOfUse) LIMIT 1"),
            arguments: Self.arguments(use)
        ).map { ($0[0], $0[1]) }
    }

    private static let isOfUse =
        "owner_id = ? AND owner_kind = ? AND role = ? AND id = ? AND format IS ?"

    private static func arguments(_ use: FileUse) -> StatementArguments {
        [use.owner.id, use.owner.kind.name, use.role, use.id, use.format]
    }

    /// What has no file yet is marked as never fetched.
    func ask(_ use: FileUse) throws {
        guard let format = use.format else {
            return try db.cachedStatement(
                sql: """
                    UPDATE document SET file_entry = NULL, file_etag = NULL, file_last_modified = NULL
                    WHERE \(use.owner.kind.idColumn) = ? AND id = ? AND file IS NULL
                    """
            ).execute(arguments: [use.owner.id, use.id])
        }
        let column = use.owner.kind == .artwork ? "artwork_id" : "show_id"
        try db.cachedStatement(
            sql: """
                UPDATE image_file SET entry = '', etag = NULL, last_modified = NULL, fetched_at = NULL
                WHERE format = ? AND hash IS NULL
                  AND image = (SELECT pk FROM image WHERE \(column) = ? AND role = ? AND id = ?)
                """
        ).execute(arguments: [format, use.owner.id, use.role, use.id])
    }

    func all() throws -> [DamagedFile] {
        var found: [DamagedFile] = []
        for row in try Row.fetchAll(db.cachedStatement(sql: Self.select)) {
            guard let file = StoredFile(row: row, from: 0) else { continue }
            if found.last?.file.hash != file.hash {
                found.append(DamagedFile(file: file, twin: StoredFile(row: row, from: 11)))
            }
            if let (use, state) = Self.use(row) { found[found.count - 1].add(use, state) }
        }
        return found
    }

    private static func use(_ row: Row) -> (use: FileUse, state: DamagedFile.State)? {
        guard let name: String = row[4], let kind = Kinds.standard[name] else { return nil }
        let use = FileUse(owner: Owner(kind, row[5]), role: row[6], id: row[7], format: row[8])
        if let file = StoredFile(row: row, from: 15) { return (use, .replaced(file)) }
        let isRefused: Bool = row[9], isWanted: Bool = row[10]
        return (use, isRefused || !isWanted ? .refused : .wanted)
    }

    /// The copy, what had it, whether that is still wanted, the intact file of that digest, and the file that it has now.
    ///
    /// A picture's format is wanted as long as it has a row: the end of a run deletes rows without a file whose format that
    /// run doesn't want.
    private static let select: String = {
        func image(_ what: String, _ kind: String) -> String {
            """
            SELECT \(what) FROM image i JOIN image_file f ON f.image = i.pk AND f.format = d.format
            WHERE i.\(kind)_id = d.owner_id AND i.role = d.role AND i.id = d.id
            """
        }
        func document(_ what: String, _ kind: String) -> String {
            "SELECT \(what) FROM document o WHERE o.\(kind)_id = d.owner_id AND o.id = d.id"
        }
        func choice(_ image: (String) -> String, _ document: (String) -> String) -> String {
            """
            CASE WHEN d.role = 'document' AND d.owner_kind = 'show' THEN (\(document("show")))
              WHEN d.role = 'document' THEN (\(document("artist")))
              WHEN d.owner_kind = 'show' THEN (\(image("show"))) ELSE (\(image("artwork"))) END
            """
        }
        let isWanted = choice({ image("1", $0) }, { document("1", $0) })
        let now = choice({ image("f.hash", $0) }, { document("o.file", $0) })
        return """
            SELECT d.hash, d.size, d.path, d.type, d.owner_kind, d.owner_id, d.role, d.id, d.format, d.refused,
              coalesce(\(isWanted), 0), t.hash, t.size, t.path, t.type, n.hash, n.size, n.path, n.type
            FROM damaged_file d LEFT JOIN file t ON t.hash = d.hash LEFT JOIN file n ON n.hash = (\(now))
            ORDER BY d.hash, d.rowid
            """
    }()
}
