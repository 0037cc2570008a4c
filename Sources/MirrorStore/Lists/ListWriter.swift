import GRDB

/// Writes what servers say of lists, and joins the members of those that changed to their owners.
struct ListWriter {
    let log: ChangeLog
    private var db: Database { log.db }

    init(log: ChangeLog) { self.log = log }

    func state(_ url: String) throws -> ListState? {
        var list = try FastStatement(db, "\(ListState.select) WHERE url = ?")
        list.bind(url)
        return try list.next() ? ListState(list) : nil
    }

    /// Notes that a list was answered completely.
    func record(_ answer: ListAnswer, members: Int, pending: Bool) throws {
        var row = try FastStatement(db, Self.upsert)
        row.bind(answer.list.url)
        row.bind(answer.list.owner.kind.rawValue)
        row.bind(answer.list.owner.id)
        row.bind(answer.list.name)
        row.bind(answer.etag)
        row.bind(answer.date)
        row.bind(Int64(members))
        row.bind(log.run)
        row.bind(Int64(pending ? 1 : 0))
        try row.run()
    }

    private static let upsert = """
        INSERT INTO list (url, owner_kind, owner_id, name, etag, date, complete, members, run, version, pending)
        VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, 1, ?)
        ON CONFLICT (url) DO UPDATE SET owner_kind = excluded.owner_kind, owner_id = excluded.owner_id,
          etag = excluded.etag, date = coalesce(excluded.date, date), complete = 1, members = excluded.members,
          run = excluded.run, version = list.version + 1, pending = excluded.pending
        """

    /// Takes in the ids of a membership list. They are joined to their owner at the end of the run, when all kinds that
    /// they join have been stored; if they are what is joined already, nothing waits.
    func stage(_ answer: ListAnswer, ids: [String]) throws -> WriteEffect {
        let earlier = try state(answer.list.url)
        if isOlder(answer, than: earlier) { return .outdated }
        let unchanged = try isJoined(answer.list, ids)
        // A show has a document once, however often its list names it.
        let members = answer.list.name == "documents" ? Set(ids.map(ExactText.init)).count : ids.count
        try record(answer, members: members, pending: !unchanged)
        if unchanged, earlier == nil { return .unchanged }
        guard let list = try state(answer.list.url) else { return .ignored }
        try db.cachedStatement(sql: "DELETE FROM list_member WHERE list = ?").execute(arguments: [list.number]
        )
        guard !unchanged else { return .unchanged }
        var insert = try FastStatement(
            db, "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, ?, ?)")
        func put(_ id: String, at position: Int) throws {
            insert.bind(list.number)
            insert.bind(list.version)
            insert.bind(Int64(position))
            insert.bind(id)
            try insert.run()
        }
        if Membership(answer.list) != nil {
            // They only wait: one row for all is written and taken away again much sooner than one for each.
            try put(JSONText.array(ids), at: Self.all)
        } else {
            for (position, id) in ids.enumerated() { try put(id, at: position) }
        }
        return .updated
    }

    /// Whether an answer was made before the one that was last applied.
    func isOlder(_ answer: ListAnswer, than earlier: ListState?) -> Bool {
        guard let date = earlier?.date, let new = answer.date else { return false }
        return new < date
    }

    /// Whether the ids are what the owner has already.
    private func isJoined(_ list: ListName, _ ids: [String]) throws -> Bool {
        if let membership = Membership(list) {
            return try membership.ids(in: db).map(ExactText.init) == ids.map(ExactText.init)
        }
        guard list.name == "documents" else { return false }
        var stored = try FastStatement(db, Self.documents[list.owner.kind] ?? "")
        stored.bind(list.owner.id)
        var found = Set<ExactText>()
        while try stored.next() { found.insert(ExactText(stored.text(0) ?? "")) }
        return found == Set(ids.map(ExactText.init))
    }

    /// The position of a row that holds the ids of all members that wait, as a JSON array.
    private static let all = -1

    /// The members of a list that wait to be joined, in order.
    func staged(_ number: Int64, version: Int64) throws -> [String] {
        var row = try FastStatement(
            db,
            """
            SELECT j.value FROM list_member m, json_each(m.id) j
            WHERE m.list = ?1 AND m.version = ?2 AND m.position = \(Self.all)
            UNION ALL SELECT id FROM (
              SELECT id FROM list_member WHERE list = ?1 AND version = ?2 AND position >= 0 ORDER BY position)
            """)
        row.bind(number)
        row.bind(version)
        var ids: [String] = []
        while try row.next() { ids.append(row.text(0) ?? "") }
        return ids
    }

    private static let documents: [ObjectKind: String] = [
        .show: "SELECT id FROM document WHERE show_id = ? AND kept = 0",
        .artist: "SELECT id FROM document WHERE artist_id = ? AND kept = 0",
    ]

    func confirm(_ url: String) throws -> WriteEffect {
        try db.cachedStatement(sql: "UPDATE list SET run = ?, complete = 1 WHERE url = ? AND run IS NOT ?")
            .execute(arguments: [log.run, url, log.run])
        return .unchanged
    }
}

extension ListState {
    static let select = """
        SELECT number, etag, date, complete, members, run, version, pending, clean_etag, clean_formats FROM list
        """

    init(row: Row) {
        self.init(
            number: row[0], etag: row[1], date: row[2], complete: row[3], members: row[4], run: row[5],
            version: row[6],
            pending: row[7], cleanETag: row[8], cleanFormats: row[9])
    }

    init(_ statement: borrowing FastStatement) {
        self.init(
            number: statement.integer(0), etag: statement.text(1), date: statement.real(2),
            complete: statement.integer(3) != 0, members: Int(statement.integer(4)),
            run: statement.isNull(5) ? nil : statement.integer(5), version: statement.integer(6),
            pending: statement.integer(7) != 0, cleanETag: statement.text(8),
            cleanFormats: statement.text(9))
    }
}
