import GRDB

/// Writes what servers say of lists, and joins the members of those that changed to their owners.
struct ListWriter {
    let log: ChangeLog
    private var db: Database { log.db }

    init(log: ChangeLog) { self.log = log }

    func state(_ url: String) throws -> ListState? {
        let statement = try db.cachedStatement(sql: "\(ListState.select) WHERE url = ?")
        return try Row.fetchOne(statement, arguments: [url]).map(ListState.init(row:))
    }

    /// Notes that a list was answered completely.
    func record(_ answer: ListAnswer, members: Int, pending: Bool) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO list (url, owner_kind, owner_id, name, etag, date, complete, members, run, version, pending)
                VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, 1, ?)
                ON CONFLICT (url) DO UPDATE SET owner_kind = excluded.owner_kind, owner_id = excluded.owner_id,
                  etag = excluded.etag, date = coalesce(excluded.date, date), complete = 1, members = excluded.members,
                  run = excluded.run, version = list.version + 1, pending = excluded.pending
                """
        ).execute(arguments: [
            answer.list.url, answer.list.owner.kind.rawValue, answer.list.owner.id, answer.list.name,
            answer.etag,
            answer.date, members, log.run, pending,
        ])
    }

    /// Takes in the ids of a membership list. They are joined to their owner at the end of the run, when all kinds that
    /// they join have been stored; if they are what is joined already, nothing waits.
    func stage(_ answer: ListAnswer, ids: [String]) throws -> WriteEffect {
        let earlier = try state(answer.list.url)
        if isOlder(answer, than: earlier) { return .outdated }
        let unchanged = try isJoined(answer.list, ids)
        try record(answer, members: ids.count, pending: !unchanged)
        if unchanged, earlier == nil { return .unchanged }
        guard let list = try state(answer.list.url) else { return .ignored }
        try db.cachedStatement(sql: "DELETE FROM list_member WHERE list = ?").execute(arguments: [list.number]
        )
        guard !unchanged else { return .unchanged }
        let insert = try db.cachedStatement(
            sql: "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, ?, ?)")
        for (position, id) in ids.enumerated() {
            try insert.execute(arguments: [list.number, list.version, position, id])
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
        let stored = try db.cachedStatement(
            sql: "SELECT id FROM document WHERE \(DocumentWriter.column(list.owner)) = ?")
        return try String.fetchSet(stored, arguments: [list.owner.id]) == Set(ids)
    }

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
}
