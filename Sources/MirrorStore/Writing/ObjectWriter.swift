import Catalogue
import GRDB

/// Writes an object's row and its parts.
///
/// A row whose JSON didn't change isn't rewritten. At most its ETag and flags (`refetch`, `kept`, `linked`) are updated.
struct ObjectWriter {
    let log: ChangeLog

    /// Writes an object, and the objects that were gathered from it.
    ///
    /// - Returns: the effect on the object itself.
    func write(_ record: ObjectRecord) throws -> WriteEffect {
        try writeGathered(record.parts.gathered)
        let effect = try writeObject(record)
        try writePlace(record.parts.place, of: record.id)
        return effect
    }

    func writeObject(_ record: ObjectRecord) throws -> WriteEffect {
        let db = log.db
        let found = try StoredRow.find(record.kind, record.id, in: db)
        if found?.hasLocalEdit == true {
            return try log.loggingServedChange(ofAlbum: record.id) {
                try AlbumArrival(log: log).apply(record)
            }
        }
        let effect = Self.effect(of: record, on: found)
        if let found, Self.isSame(record, found) { return try refresh(record, found) }
        if record.kind == .user {
            // There is one user. After a change of the token, it may be another.
            try db.run("DELETE FROM user WHERE id <> ?", [record.id])
        }
        if let location = record.parts.location { try Ghosts.ensure(.location, location, in: db) }
        try writeRow(record, exists: found != nil)
        let isNew = found?.ghost ?? true
        log.slugs.note(record.kind, record.id, before: found?.slug, after: record.text(of: "slug"))
        try log.note(
            isNew ? .create : .update, record.kind, record.id, before: isNew ? nil : found?.json,
            evidence: record.isLinked
                ? .referredTo
                : record.withdrawnPictures > 0 ? .picturesWithdrawn(record.withdrawnPictures) : nil)
        try writeParts(record, replacing: found != nil, isLogged: !isNew)
        if record.kind == .artwork, found?.ghost == true {
            // The server may have refused to add the artwork to albums only because it didn't have the artwork then.
            try db.run(
                """
                UPDATE album_artwork SET failure = NULL
                WHERE artwork_id = ? AND pending = 'add' AND failure IS NOT NULL
                """, [record.id])
        }
        return effect
    }

    /// Writes an object in a transaction that changes no other object, and settles which rival has its slug.
    func writeAndSettle(_ record: ObjectRecord) throws {
        _ = try write(record)
        try RivalSettlement(log: log).settle()
    }

    /// The effect of writing a record over a row without a local edit. It depends on the object's JSON, not on its ETag.
    static func effect(of record: ObjectRecord, on found: StoredRow?) -> WriteEffect {
        guard let found else { return .created }
        if isSame(record, found) { return isJoining(record, found) ? .updated : .unchanged }
        return found.ghost ? .created : .updated
    }

    /// Whether a kept or linked object becomes an ordinary, listed one.
    private static func isJoining(_ record: ObjectRecord, _ found: StoredRow) -> Bool {
        found.kept || (found.linked && !record.isLinked)
    }

    private static func isSame(_ record: ObjectRecord, _ found: StoredRow) -> Bool {
        !found.ghost && ExactText.same(found.json, record.json)
    }

    private func writeRow(_ record: ObjectRecord, exists: Bool) throws {
        let kind = record.kind
        let statements = log.statements(kind)
        var row = try FastStatement(log.db, exists ? statements.update : statements.insert)
        if !exists { row.bind(record.id) }
        row.bind(record.values)
        if kind.hasLocation { row.bind(record.parts.location) }
        if kind.isListed { row.bind(Int64(record.isLinked ? 1 : 0)) }
        row.bind(record.json, record.etag, record.served, record.servedETag)
        if exists { row.bind(record.id) }
        try row.run()
    }

    /// Updates the ETag and the flags (`refetch`, `kept`, `linked`) of a row whose JSON didn't change.
    private func refresh(_ record: ObjectRecord, _ found: StoredRow) throws -> WriteEffect {
        let kind = record.kind
        guard found.etag != record.etag || found.refetch || found.kept || found.linked != record.isLinked
        else { return .unchanged }
        let linked = kind.isListed ? ", linked = \(record.isLinked ? 1 : 0)" : ""
        try log.db.run(
            "UPDATE \"\(kind.table)\" SET etag = ?, refetch = 0, kept = 0\(linked) WHERE id = ?",
            [record.etag, record.id])
        if found.etag != record.etag {
            log.slugs.note(kind, record.id, before: found.slug, after: found.slug, isWritten: false)
        }
        guard Self.isJoining(record, found) else { return .unchanged }
        // The served list of a kind has no kept or linked objects. So for clients of this mirror, the object is created now.
        try log.note(
            .update, kind, record.id, before: found.json,
            evidence: found.kept ? .listedAgain : .listedNow)
        return .updated
    }

    // MARK: - Parts

    /// Writes the artists, edition sets and pictures of an object.
    ///
    /// - Parameters:
    ///   - replacing: whether earlier parts may be stored.
    ///   - isLogged: as in ``ImageWriter/replace(of:role:with:keeping:isLogged:)``.
    func writeParts(_ record: ObjectRecord, replacing: Bool, isLogged: Bool) throws {
        if record.kind.hasArtists { try writeArtists(record, replacing: replacing) }
        guard record.kind == .artwork else { return }
        try writeEditionSets(record, replacing: replacing)
        guard replacing || !record.parts.images.isEmpty else { return }
        try ImageWriter(log: log).replace(
            of: Owner(record.kind, record.id), role: .picture, with: record.parts.images, isLogged: isLogged)
    }

    private func writeArtists(_ record: ObjectRecord, replacing: Bool) throws {
        let table = record.kind.artistsTable, owner = record.kind.idColumn
        if replacing { try log.db.run("DELETE FROM \(table) WHERE \(owner) = ?", [record.id]) }
        guard !record.parts.artists.isEmpty else { return }
        var insert = try FastStatement(
            log.db, "INSERT INTO \(table) (\(owner), artist_id, position) VALUES (?, ?, ?)")
        for (position, artist) in record.parts.artists.enumerated() {
            try insert.runMakingGhosts(.artist, artist, in: log.db, record.id, artist, position)
        }
    }

    private func writeEditionSets(_ record: ObjectRecord, replacing: Bool) throws {
        if replacing { try log.db.run("DELETE FROM edition_set WHERE artwork_id = ?", [record.id]) }
        guard !record.parts.editionSets.isEmpty else { return }
        var insert = try FastStatement(log.db, ObjectStatements.insertEditionSet)
        for (position, set) in record.parts.editionSets.enumerated() {
            try insert.run(record.id, position, set.id, set.values, set.json.canonicalText)
        }
    }
}

extension FastStatement {
    /// Runs a statement that refers to an object. If the object isn't stored, a ghost is created first.
    mutating func runMakingGhosts<each Value: Bindable>(
        _ kind: Kind, _ id: String, in db: Database, _ value: repeat each Value
    ) throws {
        bind(repeat each value)
        if try runIfReferredExists() { return }
        try Ghosts.ensure(kind, id, in: db)
        try run(repeat each value)
    }
}

/// The SQL statements that write objects of a kind. A store creates them once.
struct ObjectStatements: Sendable {
    let insert: String
    let update: String
    /// Inserts or updates a picture of an object.
    let upsertImage: String

    static let insertEditionSet = insert(
        into: "edition_set", ["artwork_id", "position", "id"] + EditionSet.columns.map(\.name) + ["json"])

    init(_ kind: Kind) {
        let names =
            kind.columns.map(\.name) + (kind.hasLocation ? ["location_id"] : [])
            + (kind.isListed ? ["linked"] : []) + ["json", "etag", "served", "served_etag"]
        insert = Self.insert(into: kind.table, ["id"] + names)
        let edits =
            kind.isEdited
            ? ", sync_state = 'in_sync', sync_failure = NULL, acknowledged = 1, base_etag = NULL, base = NULL"
            : ""
        update = """
            UPDATE "\(kind.table)" SET \(names.map { "\"\($0)\" = ?" }.joined(separator: ", ")),
              ghost = 0, refetch = 0, kept = 0\(edits) WHERE id = ?
            """
        let changing = ["position"] + ImageEntry.columns.map(\.name) + ["entry", "json", "served"]
        let column = kind.idColumn
        upsertImage = """
            \(Self.insert(into: "image", ["id", column, "role"] + changing))
            ON CONFLICT (\(column), role, id) WHERE \(column) IS NOT NULL DO UPDATE SET
              \(changing.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }

    private static func insert(into table: String, _ columns: [String]) -> String {
        """
        INSERT INTO "\(table)" (\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """
    }
}

/// The stored row of an object, before a write.
struct StoredRow {
    let json: String?
    let etag: String?
    let ghost: Bool
    let refetch: Bool
    let kept: Bool
    let hasLocalEdit: Bool
    let linked: Bool
    /// `nil` if the object has no slug, or a rival has it, or objects of this kind have no rivals.
    let slug: String?

    static func find(_ kind: Kind, _ id: String, in db: Database) throws -> StoredRow? {
        let edit = kind.isEdited ? "sync_state <> 'in_sync' OR deleted" : "0"
        let linked = kind.isListed ? "linked" : "0", slug = kind.hasRivals ? "slug" : "NULL"
        var statement = try FastStatement(
            db,
            """
            SELECT json, etag, ghost, refetch, kept, \(edit), \(linked), \(slug) FROM "\(kind.table)" WHERE id = ?
            """)
        statement.bind(id)
        guard try statement.next() else { return nil }
        return StoredRow(
            json: statement.text(0), etag: statement.text(1), ghost: statement.integer(2) != 0,
            refetch: statement.integer(3) != 0, kept: statement.integer(4) != 0,
            hasLocalEdit: statement.integer(5) != 0, linked: statement.integer(6) != 0,
            slug: statement.text(7))
    }
}
