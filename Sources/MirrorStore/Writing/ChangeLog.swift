import GRDB

/// Writes down every create, update and delete, with the earlier state and the evidence.
struct ChangeLog {
    let db: Database
    let run: Int64?
    let at: String
    /// Noted where a write itself brings no evidence.
    var evidence: String?

    enum Action: String { case create, update, delete }

    func note(
        _ action: Action, _ kind: ObjectKind, _ id: String, owner: String? = nil, list: String? = nil,
        before: String? = nil, evidence: String? = nil
    ) throws {
        var row = try FastStatement(db, Self.insert)
        row.bind(run)
        row.bind(at)
        row.bind(kind.rawValue)
        row.bind(id)
        row.bind(owner)
        row.bind(action.rawValue)
        row.bind(list)
        row.bind(before)
        row.bind(evidence ?? self.evidence)
        try row.run()
    }

    /// Adds, to what was noted last, the files that the earlier state had and the new one hasn't: ``LostFile``s as JSON.
    func noteFiles(_ files: String) throws {
        try db.cachedStatement(sql: "UPDATE change SET files = ? WHERE seq = (SELECT max(seq) FROM change)")
            .execute(arguments: [files])
    }

    private static let insert = """
        INSERT INTO change (run, at, kind, id, owner, action, list, before, evidence)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Whether this run already noted that the object came to be: what is then added under it is no news.
    func created(_ kind: ObjectKind, _ id: String) throws -> Bool {
        guard let run else { return false }
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM change WHERE kind = ? AND id = ? AND run = ? AND action = 'create' LIMIT 1")
        return try Int.fetchOne(statement, arguments: [kind.rawValue, id, run]) != nil
    }
}
