import GRDB

/// A join table as seen from its owner: which artworks a show, album or location has, in order.
struct Membership {
    let owner: Owner
    let table: String
    let column: String

    /// `nil` for a list that is not one of artworks.
    init?(_ list: ListName) {
        guard list.name == "artworks", list.owner.kind != .partner else { return nil }
        owner = list.owner
        table = "\(list.owner.kind.rawValue)_artwork"
        column = "\(list.owner.kind.rawValue)_id"
    }

    private var isAlbum: Bool { owner.kind == .album }

    /// SQL: whether the server's list of an album has a row of `album_artwork`. A watch of an earlier version that goes on
    /// beside this one doesn't note it of what it has pushed.
    static let isListed = "(listed = 1 OR pending IS NULL)"

    /// What the server is known to have, whatever was added and removed here.
    func ids(in db: Database) throws -> [String] {
        try String.fetchAll(db.cachedStatement(sql: selection), arguments: [owner.id])
    }

    /// The same as a JSON array, which SQLite writes: a list may be long.
    func json(in db: Database) throws -> String {
        var row = try FastStatement(db, "SELECT json_group_array(artwork_id) FROM (\(selection))")
        row.bind(owner.id)
        return try row.next() ? row.text(0) ?? "[]" : "[]"
    }

    private var selection: String {
        let listed = isAlbum ? "AND \(Self.isListed)" : ""
        return "SELECT artwork_id FROM \(table) WHERE \(column) = ? \(listed) ORDER BY position"
    }

    /// What it is here: with what was added, without what was removed.
    func localIDs(in db: Database) throws -> [String] {
        guard isAlbum else { return try ids(in: db) }
        let statement = try db.cachedStatement(
            sql: """
                SELECT artwork_id FROM album_artwork WHERE album_id = ? AND pending IS NOT 'remove' ORDER BY position
                """)
        return try String.fetchAll(statement, arguments: [owner.id])
    }

    /// Makes it exactly `ids`; what isn't stored becomes a ghost. Only for what has no local edits.
    func replaceAll(with ids: [String], in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(column) = ?").execute(arguments: [owner.id])
        _ = try fill(in: db) { put in for id in ids { try put(id) } }
    }

    /// Whether nothing is joined, local edits included.
    func isVacant(in db: Database) throws -> Bool {
        let row = try FastStatement(db, "SELECT 1 FROM \(table) WHERE \(column) = ? LIMIT 1").binding(
            owner.id)
        return try !row.next()
    }

    /// Joins, where nothing is, what is handed out; what isn't stored becomes a ghost.
    ///
    /// Row by row: of one statement for all, SQLite would keep a journal of its own, to be able to take it back.
    ///
    /// - Returns: how many.
    func fill(in db: Database, with each: ((String) throws -> Void) throws -> Void) throws -> Int {
        let ghosts = Ghosts(db: db)
        var row = try FastStatement(
            db, "INSERT INTO \(table) (\(column), position, artwork_id) VALUES (?, ?, ?)")
        func bind(_ id: String, at position: Int, to row: inout FastStatement) {
            row.bind(owner.id)
            row.bind(Int64(position))
            row.bind(id)
        }
        var position = 0
        try each { id in
            bind(id, at: position, to: &row)
            if try !row.runIfReferredExists() {
                try ghosts.ensure(.artwork, id)
                bind(id, at: position, to: &row)
                try row.run()
            }
            position += 1
        }
        return position
    }

    /// Whether artworks were added or removed here without the server having said that it took that.
    func hasLocalEdits(in db: Database) throws -> Bool {
        guard isAlbum else { return false }
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM album_artwork WHERE album_id = ? AND pending IS NOT NULL)")
        return try Bool.fetchOne(statement, arguments: [owner.id]) ?? false
    }

    /// Makes it exactly `ids`; what was added to an album and removed from it here is still wanted. So what was added and
    /// removed on both sides is merged, artwork by artwork.
    ///
    /// A list that agrees with an edit doesn't settle it: it may be older than what was pushed before the edit. The edit is
    /// pushed all the same, which changes nothing where it was made already. Only one that the server refused is settled.
    func replace(with ids: [String], in db: Database) throws {
        let edits = isAlbum ? try AlbumArtworkEdit.all(of: owner.id, in: db) : []
        try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(column) = ?").execute(arguments: [owner.id])
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(column), artwork_id, position\(isAlbum ? ", listed, pending, failure, sent" : ""))
                VALUES (?, ?, ?\(isAlbum ? ", ?, ?, ?, ?" : ""))
                """)
        var position = 0
        func put(_ id: String, isListed: Bool, _ edit: AlbumArtworkEdit?) throws {
            let row: [(any DatabaseValueConvertible)?] = [owner.id, id, position]
            let state: [(any DatabaseValueConvertible)?] = [
                isListed, edit?.wanted.rawValue, edit?.failure, edit?.isSent ?? false,
            ]
            try insert.execute(arguments: StatementArguments(row + (isAlbum ? state : [])))
            position += 1
        }
        let ghosts = Ghosts(db: db)
        let edited = Dictionary(edits.map { ($0.artwork, $0) }) { first, _ in first }
        for id in ids {
            try ghosts.ensure(.artwork, id)
            try put(id, isListed: true, edited[id].flatMap { $0.isSettled(whereListed: true) ? nil : $0 })
        }
        let known = Set(ids)
        for edit in edits where !known.contains(edit.artwork) && !edit.isSettled(whereListed: false) {
            try put(edit.artwork, isListed: false, edit)
        }
    }
}
