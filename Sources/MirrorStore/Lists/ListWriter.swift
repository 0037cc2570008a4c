import Catalogue
import GRDB

/// Stores the server's lists under objects, and the members that are still to be joined to their owners.
struct ListWriter {
    let log: ChangeLog
    private var db: Database { log.db }

    func state(_ url: String) throws -> ListState? {
        try ListState.find(url, in: db)
    }

    /// Stores the state of a list that was answered, completely or not.
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

    /// Stores the ids of a membership list, to be joined to their owner at the end of the run.
    ///
    /// By then, all kinds have been stored. Ids that the owner has already need no joining. A list that isn't complete only
    /// adds members: the owner's other members stay, after those in the list.
    func stage(_ answer: ListAnswer, ids listed: [String]) throws -> WriteEffect {
        let earlier = try state(answer.list.url)
        if isOlder(answer, than: earlier) { return try rejectOlder(answer) }
        var ids = listed
        if !answer.isComplete {
            let named = Set(listed.map(ExactText.init))
            ids += try storedMembers(answer.list).filter { !named.contains(ExactText($0)) }
        }
        let unchanged = try isJoined(answer.list, ids)
        // A list may name a document several times, but it is stored once.
        let members = answer.list.name == "documents" ? Set(ids.map(ExactText.init)).count : ids.count
        // Documents are stored one by one. A list of documents is pending only to remove some, if it is complete.
        let waits = !unchanged && (answer.isComplete || Membership(answer.list) != nil)
        try record(answer, members: members, pending: waits)
        if unchanged, earlier == nil { return .unchanged }
        guard let list = try state(answer.list.url) else { return .ignored }
        if waits, Membership(answer.list) != nil {
            try replacePackedMembers(of: list, with: ids)
        } else {
            try replaceMembers(of: list, with: waits ? ids : [])
        }
        return unchanged ? .unchanged : .updated
    }

    /// Stores the ids of a show's pictures, if stored pictures are missing from the list and so are removed at the end of the
    /// run.
    ///
    /// - Parameters:
    ///   - lacksSome: whether stored pictures are missing from the list.
    ///   - earlier: the stored state of the list.
    func record(pictures ids: [String], _ answer: ListAnswer, lacksSome: Bool, earlier: ListState?) throws {
        try record(answer, members: Set(ids.map(ExactText.init)).count, pending: lacksSome)
        guard lacksSome || earlier?.pending == true, let list = try state(answer.list.url) else { return }
        try replaceMembers(of: list, with: lacksSome ? ids : [])
    }

    /// Replaces the stored ids of a list, one row for each.
    private func replaceMembers(of list: ListState, with ids: [String]) throws {
        try db.run("DELETE FROM list_member WHERE list = ?", [list.number])
        var insert = try FastStatement(
            db, "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, ?, ?)")
        for (position, id) in ids.enumerated() { try insert.run(list.number, list.version, position, id) }
    }

    /// Replaces the stored ids of a membership list by one row with all of them, as a JSON array.
    ///
    /// The ids are read only once, to be joined, and one location may have most of a catalogue.
    private func replacePackedMembers(of list: ListState, with ids: [String]) throws {
        try replaceMembers(of: list, with: [])
        try db.run(
            "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, -1, ?)",
            [list.number, list.version, JSONValue.canonicalText(of: ids)])
    }

    /// Whether the server made an answer before the one that was applied last.
    func isOlder(_ answer: ListAnswer, than earlier: ListState?) -> Bool {
        AnswerAge.isOlder(answer.date, than: earlier?.date, now: log.now)
    }

    /// Ignores an older answer, but removes the list's ETag.
    ///
    /// Objects that the older answer names may have been stored. If the server later returns to the stored list, an unchanged
    /// ETag must not confirm it. A list of documents also becomes incomplete, because documents of the older answer were added
    /// to those in the list.
    private func rejectOlder(_ answer: ListAnswer) throws -> WriteEffect {
        try db.run(
            """
            UPDATE list SET etag = NULL, complete = CASE name WHEN 'documents' THEN 0 ELSE complete END
            WHERE url = ?
            """, [answer.list.url])
        return .outdated
    }

    /// Whether the owner's stored members equal `ids`.
    private func isJoined(_ list: ListName, _ ids: [String]) throws -> Bool {
        if Membership(list) != nil {
            return try storedMembers(list).map(ExactText.init) == ids.map(ExactText.init)
        }
        guard list.name == "documents" else { return false }
        return try Set(storedMembers(list).map(ExactText.init)) == Set(ids.map(ExactText.init))
    }

    /// The ids of the list's members that are stored under its owner.
    private func storedMembers(_ list: ListName) throws -> [String] {
        if let membership = Membership(list) { return try membership.ids(in: db) }
        guard list.name == "documents", list.owner.kind.hasDocuments else { return [] }
        return try db.texts(
            "SELECT id FROM document WHERE \(list.owner.kind.idColumn) = ? AND kept = 0", [list.owner.id])
    }

    /// The ids of a list that are still to be joined, in order.
    ///
    /// A row with a negative position has a JSON array of ids. Several such rows have descending positions. Earlier versions
    /// wrote one row for each id.
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

    /// Marks a kind's own list as not clean: the next sync checks all of its members, even if the list is unchanged.
    static func unclean(_ kind: Kind, in db: Database) throws {
        try db.run(
            "UPDATE list SET clean_etag = NULL WHERE owner_kind = 'partner' AND name = ?", [kind.plural])
    }

    /// Stores that a list is unchanged in this run.
    func confirm(_ url: String) throws -> WriteEffect {
        try db.run(
            "UPDATE list SET run = ?, complete = 1 WHERE url = ? AND run IS NOT ?", [log.run, url, log.run])
        return .unchanged
    }
}
