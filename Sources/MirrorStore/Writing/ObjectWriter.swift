import Catalogue
import GRDB

/// Writes one object's row and its parts.
///
/// A row whose JSON did not change isn't rewritten; if only its ETag did, that alone is.
struct ObjectWriter {
    let log: ChangeLog

    func write(_ record: ObjectRecord) throws -> WriteEffect {
        let db = log.db
        let found = try StoredRow.find(record.kind, record.id, in: db)
        if found?.hasLocalEdit == true {
            return try log.watching(album: record.id) { try AlbumArrival(log: log).apply(record) }
        }
        let effect = Self.effect(of: record, on: found)
        if let found, Self.isSame(record, found) { return try refresh(record, found) }
        if record.kind == .user {
            // Another token's user takes the place of the earlier one.
            try db.cachedStatement(sql: "DELETE FROM user WHERE id <> ?").execute(arguments: [record.id])
        }
        if let location = record.parts.location { try Ghosts(db: db).ensure(.location, location) }
        try writeRow(record, isThere: found != nil)
        let isNew = found.map(\.ghost) ?? true
        log.slugs.note(record.kind, record.id, before: found?.slug, after: record.slug)
        try log.note(
            isNew ? .create : .update, record.kind, record.id, before: isNew ? nil : found?.json,
            evidence: record.isLinked ? Self.referredTo : nil)
        try writeParts(record, replacing: found != nil, isNoted: !isNew)
        if record.kind == .artwork, found?.ghost == true { try retryAdditions(of: record.id) }
        return effect
    }

    /// What writing a record does to what is stored, unless it was edited here: it is what the object says that counts, not
    /// its ETag.
    static func effect(of record: ObjectRecord, on found: StoredRow?) -> WriteEffect {
        guard let found else { return .created }
        if isSame(record, found) { return isJoining(record, found) ? .updated : .unchanged }
        return found.ghost ? .created : .updated
    }

    /// Whether the object itself stays as it is, and becomes one of those that the server lists.
    private static func isJoining(_ record: ObjectRecord, _ found: StoredRow) -> Bool {
        found.kept || (found.linked && !record.isLinked)
    }

    private static func isSame(_ record: ObjectRecord, _ found: StoredRow) -> Bool {
        !found.ghost && ExactText.same(found.json, record.json)
    }

    private func writeRow(_ record: ObjectRecord, isThere: Bool) throws {
        let sql = isThere ? ObjectSQL.update[record.kind] : ObjectSQL.insert[record.kind]
        var row = try FastStatement(log.db, sql ?? "")
        if !isThere { row.bind(record.id) }
        row.bind(record.values)
        if record.kind == .show { row.bind(record.parts.location) }
        if Kinds.standard.listed.contains(record.kind) { row.bind(Int64(record.isLinked ? 1 : 0)) }
        row.bind(record.json)
        row.bind(record.etag)
        row.bind(record.served)
        row.bind(record.servedETag)
        if isThere { row.bind(record.id) }
        try row.run()
    }

    /// The object is as it was. Only what the server's bookkeeping says may differ.
    private func refresh(_ record: ObjectRecord, _ found: StoredRow) throws -> WriteEffect {
        guard found.etag != record.etag || found.refetch || found.kept || found.linked != record.isLinked
        else {
            return .unchanged
        }
        let linked =
            Kinds.standard.listed.contains(record.kind) ? ", linked = \(record.isLinked ? 1 : 0)" : ""
        try log.db.cachedStatement(
            sql: "UPDATE \"\(record.kind.table)\" SET etag = ?, refetch = 0, kept = 0\(linked) WHERE id = ?"
        ).execute(arguments: [record.etag, record.id])
        if found.etag != record.etag {
            log.slugs.note(
                record.kind, record.id, before: found.slug, after: found.slug, isWritten: false)
        }
        guard Self.isJoining(record, found) else { return .unchanged }
        // To whoever this mirror is served to, the object comes back, or comes, with this.
        try log.note(
            .update, record.kind, record.id, before: found.json,
            evidence: found.kept ? Self.listedAgain : Self.listedNow)
        return .updated
    }

    /// The evidence of an object that is here only because something refers to it.
    static let referredTo = "referred to, though not listed"
    /// The evidence of such an object's becoming an ordinary one.
    static let listedNow = "listed by the server now"

    /// The evidence of a restored object's becoming an ordinary one.
    static let listedAgain = "listed by the server again"

    /// A server that would not add an artwork to albums may not have had it then.
    private func retryAdditions(of artwork: String) throws {
        try log.db.cachedStatement(
            sql: """
                UPDATE album_artwork SET failure = NULL
                WHERE artwork_id = ? AND pending = 'add' AND failure IS NOT NULL
                """
        ).execute(arguments: [artwork])
    }

    func writeParts(_ record: ObjectRecord, replacing: Bool, isNoted: Bool) throws {
        switch record.kind {
        case .artwork:
            try writeArtists("artwork_artist", "artwork_id", record, replacing: replacing)
            try writeEditionSets(record, replacing: replacing)
            if replacing || !record.parts.images.isEmpty {
                try ImageWriter(log: log).replace(
                    of: Owner(.artwork, record.id), role: .picture, with: record.parts.images,
                    areNew: !replacing, isNoted: isNoted)
            }
        case .show:
            try writeArtists("show_artist", "show_id", record, replacing: replacing)
        default:
            break
        }
    }

    private func writeArtists(_ table: String, _ owner: String, _ record: ObjectRecord, replacing: Bool)
        throws
    {
        let db = log.db
        if replacing {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(owner) = ?").execute(arguments: [
                record.id
            ])
        }
        guard !record.parts.artists.isEmpty else { return }
        var insert = try FastStatement(
            db, "INSERT INTO \(table) (\(owner), artist_id, position) VALUES (?, ?, ?)")
        for (position, artist) in record.parts.artists.enumerated() {
            insert.bind(record.id)
            insert.bind(artist)
            insert.bind(Int64(position))
            if try insert.runIfReferredExists() { continue }
            try Ghosts(db: db).ensure(.artist, artist)
            insert.bind(record.id)
            insert.bind(artist)
            insert.bind(Int64(position))
            try insert.run()
        }
    }

    private func writeEditionSets(_ record: ObjectRecord, replacing: Bool) throws {
        let db = log.db
        if replacing {
            try db.cachedStatement(sql: "DELETE FROM edition_set WHERE artwork_id = ?").execute(arguments: [
                record.id
            ])
        }
        guard !record.parts.editionSets.isEmpty else { return }
        var insert = try FastStatement(db, ObjectSQL.insertEditionSet)
        for (position, set) in record.parts.editionSets.enumerated() {
            insert.bind(record.id)
            insert.bind(Int64(position))
            insert.bind(set.values)
            insert.bind(set.json)
            try insert.run()
        }
    }
}

/// The statements by which objects' rows are written, made once.
enum ObjectSQL {
    static let insert: [Kind: String] = byKind { kind in
        let names = ["id"] + names(kind)
        return """
            INSERT INTO "\(kind.table)" (\(names.map { "\"\($0)\"" }.joined(separator: ", ")))
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """
    }

    static let update: [Kind: String] = byKind { kind in
        let assignments = names(kind).map { "\"\($0)\" = ?" }.joined(separator: ", ")
        let edits =
            kind == .album
            ? ", sync_state = 'in_sync', sync_failure = NULL, acknowledged = 1, base_etag = NULL, base = NULL"
            : ""
        return """
            UPDATE "\(kind.table)" SET \(assignments), ghost = 0, refetch = 0, kept = 0\(edits) WHERE id = ?
            """
    }

    static let find: [Kind: String] = byKind { kind in
        let edit = kind == .album ? "sync_state <> 'in_sync' OR deleted" : "0"
        let linked = Kinds.standard.listed.contains(kind) ? "linked" : "0"
        let slug = Rivals.kinds.contains(kind) ? "slug" : "NULL"
        return """
            SELECT json, etag, ghost, refetch, kept, \(edit), \(linked), \(slug) FROM "\(kind.table)" WHERE id = ?
            """
    }

    static let insertEditionSet = """
        INSERT INTO edition_set (artwork_id, position, \(EditionSetRecord.columns.joined(separator: ", ")), json)
        VALUES (?, ?, \(EditionSetRecord.columns.map { _ in "?" }.joined(separator: ", ")), ?)
        """

    private static func names(_ kind: Kind) -> [String] {
        kind.columns.map(\.name) + (kind == .show ? ["location_id"] : [])
            + (Kinds.standard.listed.contains(kind) ? ["linked"] : []) + [
                "json", "etag", "served", "served_etag",
            ]
    }

    private static func byKind(_ make: (Kind) -> String) -> [Kind: String] {
        Dictionary(
            uniqueKeysWithValues: Kinds.standard.all.filter { $0 != .document }.map { ($0, make($0)) })
    }
}

/// What is stored of an object before it is written.
struct StoredRow {
    let json: String?
    let etag: String?
    let ghost: Bool
    let refetch: Bool
    let kept: Bool
    let hasLocalEdit: Bool
    let linked: Bool
    /// Empty where a rival has it.
    let slug: String?

    static func find(_ kind: Kind, _ id: String, in db: Database) throws -> StoredRow? {
        var statement = try FastStatement(db, ObjectSQL.find[kind] ?? "")
        statement.bind(id)
        guard try statement.next() else { return nil }
        return StoredRow(
            json: statement.text(0), etag: statement.text(1), ghost: statement.integer(2) != 0,
            refetch: statement.integer(3) != 0, kept: statement.integer(4) != 0,
            hasLocalEdit: statement.integer(5) != 0, linked: statement.integer(6) != 0,
            slug: statement.text(7))
    }
}
