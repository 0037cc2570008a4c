import Catalogue
import GRDB

/// Writes what servers say of lists, and joins the members of those that changed to their owners.
struct ListWriter {
    let log: ChangeLog
    private var db: Database { log.db }

    func state(_ url: String) throws -> ListState? {
        try ListState.find(url, in: db)
    }

    /// Notes that a list was answered, completely or not.
    func record(_ answer: ListAnswer, members: Int, pending: Bool) throws {
        let list = answer.list
        try db.run(
            Self.upsert,
            [
                list.url, list.owner.kind.name, list.owner.id, list.name, answer.etag, answer.date,
                answer.isComplete, members, log.run, pending,
            ])
    }

    private static let upsert = """
        INSERT INTO list (url, owner_kind, owner_id, name, etag, date, complete, members, run, version, pending)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
        ON CONFLICT (url) DO UPDATE SET owner_kind = excluded.owner_kind, owner_id = excluded.owner_id,
          etag = excluded.etag, date = coalesce(excluded.date, date), complete = excluded.complete, members = excluded.members,
          run = excluded.run, version = list.version + 1, pending = excluded.pending
        """

    /// Takes in the ids of a membership list. They are joined to their owner at the end of the run, when all kinds that
    /// they join have been stored; if they are what is joined already, nothing waits.
    ///
    /// A list that is not complete only adds: what the owner has stays behind what it names.
    func stage(_ answer: ListAnswer, ids listed: [String]) throws -> WriteEffect {
        let earlier = try state(answer.list.url)
        if isOlder(answer, than: earlier) { return try passOver(answer) }
        var ids = listed
        if !answer.isComplete {
            let named = Set(listed.map(ExactText.init))
            ids += try held(answer.list).filter { !named.contains(ExactText($0)) }
        }
        let unchanged = try isJoined(answer.list, ids)
        // A show has a document once, however often its list names it.
        let members = answer.list.name == "documents" ? Set(ids.map(ExactText.init)).count : ids.count
        // Documents are stored one by one: a list of them waits only to remove some, which an incomplete one never does.
        let waits = !unchanged && (answer.isComplete || Membership(answer.list) != nil)
        try record(answer, members: members, pending: waits)
        if unchanged, earlier == nil { return .unchanged }
        guard let list = try state(answer.list.url) else { return .ignored }
        if waits, Membership(answer.list) != nil {
            try putTogether(ids, in: list)
        } else {
            try put(waits ? ids : [], in: list)
        }
        return unchanged ? .unchanged : .updated
    }

    /// Takes in the ids of a show's pictures. Where that lacks some of those that are stored, they go at the end of the run.
    ///
    /// - Parameter earlier: what is stored of the list.
    func record(pictures ids: [String], _ answer: ListAnswer, lacksSome: Bool, earlier: ListState?) throws {
        try record(answer, members: Set(ids.map(ExactText.init)).count, pending: lacksSome)
        guard lacksSome || earlier?.pending == true, let list = try state(answer.list.url) else { return }
        try put(lacksSome ? ids : [], in: list)
    }

    /// Notes the ids that a list named last, in the place of those that it named before.
    private func put(_ ids: [String], in list: ListState) throws {
        try db.run("DELETE FROM list_member WHERE list = ?", [list.number])
        var insert = try FastStatement(
            db, "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, ?, ?)")
        for (position, id) in ids.enumerated() { try insert.run(list.number, list.version, position, id) }
    }

    /// Notes the ids of a membership list, which only wait to be joined, in one row: a location may have most of a catalogue.
    private func putTogether(_ ids: [String], in list: ListState) throws {
        try put([], in: list)
        try db.run(
            "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, -1, ?)",
            [list.number, list.version, JSONValue.canonicalText(of: ids)])
    }

    /// Whether an answer was made before the one that was last applied.
    func isOlder(_ answer: ListAnswer, than earlier: ListState?) -> Bool {
        AnswerAge.isOlder(answer.date, than: earlier?.date, now: log.now)
    }

    /// An older answer changes nothing here, but what it names may be stored because of it: should the server go back to what
    /// the list that is stored says, its ETag doesn't vouch for that. Documents that it names are stored beside those that
    /// are here, so that of these the list that is stored has no longer all.
    private func passOver(_ answer: ListAnswer) throws -> WriteEffect {
        try db.run(
            """
            UPDATE list SET etag = NULL, complete = CASE name WHEN 'documents' THEN 0 ELSE complete END
            WHERE url = ?
            """, [answer.list.url])
        return .outdated
    }

    /// Whether the ids are what the owner has already.
    private func isJoined(_ list: ListName, _ ids: [String]) throws -> Bool {
        if Membership(list) != nil { return try held(list).map(ExactText.init) == ids.map(ExactText.init) }
        guard list.name == "documents" else { return false }
        return try Set(held(list).map(ExactText.init)) == Set(ids.map(ExactText.init))
    }

    /// What the owner of a list has of it.
    private func held(_ list: ListName) throws -> [String] {
        if let membership = Membership(list) { return try membership.ids(in: db) }
        guard list.name == "documents", list.owner.kind.hasDocuments else { return [] }
        return try db.texts(
            "SELECT id FROM document WHERE \(list.owner.kind.idColumn) = ? AND kept = 0", [list.owner.id])
    }

    /// The members of a list that wait to be joined, in order.
    ///
    /// Those of rows with a position below 0, which goes down, are a JSON array; another version wrote each into a row.
    func staged(_ number: Int64, version: Int64) throws -> [String] {
        let packed = try db.texts(
            """
            SELECT j.value FROM list_member m, json_each(m.id) j
            WHERE m.list = ? AND m.version = ? AND m.position < 0 ORDER BY m.position DESC, j.key
            """, [number, version])
        return try packed
            + db.texts(
                "SELECT id FROM list_member WHERE list = ? AND version = ? AND position >= 0 ORDER BY position",
                [number, version])
    }

    /// A `304` on a kind's list no longer tells that all of its members are here.
    static func unclean(_ kind: Kind, in db: Database) throws {
        try db.run(
            "UPDATE list SET clean_etag = NULL WHERE owner_kind = 'partner' AND name = ?", [kind.plural])
    }

    func confirm(_ url: String) throws -> WriteEffect {
        try db.run(
            "UPDATE list SET run = ?, complete = 1 WHERE url = ? AND run IS NOT ?", [log.run, url, log.run])
        return .unchanged
    }
}
