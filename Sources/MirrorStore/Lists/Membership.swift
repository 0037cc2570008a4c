import Catalogue
import GRDB

/// A join table as seen from its owner: which artworks a show, album or location has, in order.
struct Membership {
    let owner: Owner
    var table: String { owner.kind.membersTable }
    var column: String { owner.kind.idColumn }

    /// `nil` for an owner without a list of artworks.
    init?(of owner: Owner) {
        guard owner.kind.hasMembers else { return nil }
        self.owner = owner
    }

    /// `nil` for a list that is not one of artworks.
    init?(_ list: ListName) {
        guard list.name == ObjectList.artworks.rawValue else { return nil }
        self.init(of: list.owner)
    }

    private var isEdited: Bool { owner.kind.isEdited }

    /// SQL: whether the server's list of an album has a row of `album_artwork`. A watch of an earlier version that goes on
    /// beside this one doesn't note it of what it has pushed.
    static let isListed = "(listed = 1 OR pending IS NULL)"

    /// SQL: whether a list that lacks the row `t` of the table takes something away: what was edited here is not the server's to
    /// lose, nor is what is in an album that was deleted here.
    var canLose: String {
        guard isEdited else { return "1" }
        return
            """
            t.pending IS NULL AND NOT EXISTS (
              SELECT 1 FROM "\(owner.kind.table)" b WHERE b.id = t.\(column) AND b.deleted = 1)
            """
    }

    /// What the server is known to have, whatever was added and removed here.
    func ids(in db: Database) throws -> [String] { try db.texts(selection, [owner.id]) }

    /// The same as a JSON array, which SQLite writes: a list may be long.
    func json(in db: Database) throws -> String {
        try db.text("SELECT json_group_array(artwork_id) FROM (\(selection))", [owner.id]) ?? "[]"
    }

    private var selection: String {
        let listed = isEdited ? "AND \(Self.isListed)" : ""
        return "SELECT artwork_id FROM \(table) WHERE \(column) = ? \(listed) ORDER BY position"
    }

    /// What it is here: with what was added, without what was removed.
    func localIDs(in db: Database) throws -> [String] {
        guard isEdited else { return try ids(in: db) }
        return try db.texts(
            """
            SELECT artwork_id FROM \(table) WHERE \(column) = ? AND pending IS NOT 'remove' ORDER BY position
            """, [owner.id])
    }

    /// Makes it exactly `ids`; what isn't stored becomes a ghost. Only for what has no local edits.
    func replaceAll(with ids: [String], in db: Database) throws {
        try db.run("DELETE FROM \(table) WHERE \(column) = ?", [owner.id])
        _ = try append(ids, in: db)
    }

    /// Whether nothing is joined, local edits included.
    func isVacant(in db: Database) throws -> Bool {
        try !db.isTrue("SELECT 1 FROM \(table) WHERE \(column) = ? LIMIT 1", [owner.id])
    }

    /// Joins what waits in a row of a list, in one statement, which takes half the time of one for each.
    ///
    /// The row holds no more than a few thousand: of a statement SQLite keeps a journal, to be able to take it back.
    ///
    /// - Parameter position: that of the first.
    /// - Returns: how many; `nil`, and nothing is done, if one of them isn't stored.
    func append(_ row: ListWriter.WaitingRow, at position: Int, in db: Database) throws -> Int? {
        var statement = try FastStatement(
            db,
            """
            INSERT INTO \(table) (\(column), position, artwork_id)
            SELECT ?, ? + j.key, j.value FROM list_member m, json_each(m.id) j
            WHERE m.list = ? AND m.version = ? AND m.position = ?
            """)
        statement.bind(owner.id, position, row.list, row.version, row.position)
        return try statement.runIfReferredExists() ? db.changesCount : nil
    }

    /// Joins ids, one by one; what isn't stored becomes a ghost.
    ///
    /// - Parameter position: that of the first.
    /// - Returns: how many.
    func append(_ ids: [String], at position: Int = 0, in db: Database) throws -> Int {
        guard !ids.isEmpty else { return 0 }
        var row = try FastStatement(
            db, "INSERT INTO \(table) (\(column), position, artwork_id) VALUES (?, ?, ?)")
        for (place, id) in zip(position..., ids) {
            try row.runMakingGhosts(.artwork, id, in: db, owner.id, place, id)
        }
        return ids.count
    }

    /// Whether artworks were added or removed here without the server having said that it took that.
    func hasLocalEdits(in db: Database) throws -> Bool {
        try isEdited
            && db.isTrue(
                "SELECT 1 FROM \(table) WHERE \(column) = ? AND pending IS NOT NULL LIMIT 1", [owner.id])
    }

    /// Makes it exactly `ids`; what was added to an album and removed from it here is still wanted. So what was added and
    /// removed on both sides is merged, artwork by artwork.
    ///
    /// A list that agrees with an edit doesn't settle it: it may be older than what was pushed before the edit. The edit is
    /// pushed all the same, which changes nothing where it was made already. Only one that the server refused is settled.
    func replace(with ids: [String], in db: Database) throws {
        let edits = isEdited ? try AlbumArtworkEdit.all(of: owner.id, in: db) : []
        try db.run("DELETE FROM \(table) WHERE \(column) = ?", [owner.id])
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(column), artwork_id, position\(isEdited ? ", listed, pending, failure, sent" : ""))
                VALUES (?, ?, ?\(isEdited ? ", ?, ?, ?, ?" : ""))
                """)
        var position = 0
        func put(_ id: String, isListed: Bool, _ edit: AlbumArtworkEdit?) throws {
            let row: [(any DatabaseValueConvertible)?] = [owner.id, id, position]
            let state: [(any DatabaseValueConvertible)?] = [
                isListed, edit?.wanted.rawValue, edit?.failure, edit?.isSent ?? false,
            ]
            try insert.execute(arguments: StatementArguments(row + (isEdited ? state : [])))
            position += 1
        }
        let edited = Dictionary(edits.map { ($0.artwork, $0) }) { first, _ in first }
        for id in ids {
            try Ghosts.ensure(.artwork, id, in: db)
            try put(id, isListed: true, edited[id].flatMap { $0.isSettled(whereListed: true) ? nil : $0 })
        }
        let known = Set(ids)
        for edit in edits where !known.contains(edit.artwork) && !edit.isSettled(whereListed: false) {
            try put(edit.artwork, isListed: false, edit)
        }
    }
}
