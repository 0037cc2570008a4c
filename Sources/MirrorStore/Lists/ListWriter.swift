import Catalogue
import GRDB

/// Writes what servers say of lists, and joins the members of those that changed to their owners.
struct ListWriter {
    let log: ChangeLog
    private var db: Database { log.db }

    func state(_ url: String) throws -> ListState? {
        try db.row("\(ListState.select) WHERE url = ?", [url])
            .map(ListState.init(row:))
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
        try forgetMembers(of: list)
        guard waits else { return unchanged ? .unchanged : .updated }
        if Membership(answer.list) != nil {
            try wait(ids, in: list)
        } else {
            try put(ids, in: list)
        }
        return .updated
    }

    /// Takes in the ids of a show's pictures. Where that lacks some of those that are stored, they go at the end of the run.
    ///
    /// - Parameter earlier: what is stored of the list.
    func record(pictures ids: [String], _ answer: ListAnswer, lacksSome: Bool, earlier: ListState?) throws {
        try record(answer, members: Set(ids.map(ExactText.init)).count, pending: lacksSome)
        guard lacksSome || earlier?.pending == true, let list = try state(answer.list.url) else { return }
        try forgetMembers(of: list)
        if lacksSome { try put(ids, in: list) }
    }

    private func forgetMembers(of list: ListState) throws {
        try db.run("DELETE FROM list_member WHERE list = ?", [list.number])
    }

    private func put(_ ids: [String], in list: ListState) throws {
        var insert = try FastStatement(db, Self.insertMember)
        for (position, id) in ids.enumerated() { try insert.run(list.number, list.version, position, id) }
    }

    /// Takes in some of the ids of a membership list, as ``stage(_:ids:)`` takes all.
    func stage(_ part: MembersPart) throws -> WriteEffect {
        let answer = part.list
        var earlier = try state(answer.list.url)
        if part.position == 0 {
            if isOlder(answer, than: earlier) { return try passOver(answer) }
            try record(ListAnswer(list: answer.list, etag: nil, date: nil), members: 0, pending: false)
            try db.run("UPDATE list SET complete = 0 WHERE url = ?", [answer.list.url])
            earlier = try state(answer.list.url)
            try db.run("DELETE FROM list_member WHERE list = ?", [earlier?.number])
        }
        // What is complete was left as it is, with what came of this list before.
        guard let list = earlier, !list.complete else { return .ignored }
        try wait(part.ids, in: list)
        guard part.isLast else { return .updated }
        try db.run(
            """
            UPDATE list SET etag = ?, date = coalesce(?, date), complete = 1, members = ?, run = ?, pending = 1
            WHERE number = ?
            """, [answer.etag, answer.date, part.position + part.ids.count, log.run, list.number])
        return .updated
    }

    private static let insertMember =
        "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, ?, ?)"

    /// They only wait: one row for many, as a JSON array, is written and taken away again much sooner than one for each. The
    /// positions of these rows are below 0, and go down.
    private func wait(_ ids: [String], in list: ListState) throws {
        var position = Int(try lowestPosition(list.number, list.version))
        var insert = try FastStatement(db, Self.insertMember)
        for start in stride(from: 0, to: ids.count, by: Self.together) {
            position -= 1
            let end = min(start + Self.together, ids.count)
            try insert.run(
                list.number, list.version, position, JSONValue.canonicalText(of: Array(ids[start..<end])))
        }
    }

    /// So many ids wait in one row.
    private static let together = 2_000

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

    /// Joins the members of a list that wait, in order, to an owner that has none.
    ///
    /// - Returns: how many.
    func join(_ number: Int64, version: Int64, to membership: Membership) throws -> Int {
        // One row after the other, each by its position: in a first sync they may be most of what there is.
        var count = 0
        for row in try waiting(number, version) {
            // What names an artwork that isn't stored is joined one by one.
            if let joined = try membership.append(row, at: count, in: db) {
                count += joined
            } else {
                count += try membership.append(try ids(row), at: count, in: db)
            }
        }
        return try count + membership.append(try single(number, version), at: count, in: db)
    }

    /// The members of a list that wait to be joined, in order.
    func staged(_ number: Int64, version: Int64) throws -> [String] {
        try waiting(number, version).flatMap(ids) + single(number, version)
    }

    /// A row that holds many that wait.
    struct WaitingRow {
        let list: Int64, version: Int64, position: Int64
    }

    private func waiting(_ number: Int64, _ version: Int64) throws -> [WaitingRow] {
        stride(from: -1, through: try lowestPosition(number, version), by: -1).map {
            WaitingRow(list: number, version: version, position: $0)
        }
    }

    private func ids(_ waiting: WaitingRow) throws -> [String] {
        return try db.texts(
            """
            SELECT j.value FROM list_member m, json_each(m.id) j WHERE m.list = ? AND m.version = ? AND m.position = ?
            """, [waiting.list, waiting.version, waiting.position])
    }

    /// Those that wait in a row each.
    private func single(_ number: Int64, _ version: Int64) throws -> [String] {
        return try db.texts(
            "SELECT id FROM list_member WHERE list = ? AND version = ? AND position >= 0 ORDER BY position",
            [number, version])
    }

    /// Of the rows of a list, that of the first or, where several hold those that wait, of the last of these.
    private func lowestPosition(_ number: Int64, _ version: Int64) throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: "SELECT min(position) FROM list_member WHERE list = ? AND version = ?")
        return try min(0, Int64.fetchOne(statement, arguments: [number, version]) ?? 0)
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
