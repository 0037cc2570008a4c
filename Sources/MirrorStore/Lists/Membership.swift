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

    /// What the server is known to have: what was added here and not pushed yet is left out, what was removed is still in.
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
        let acknowledged = isAlbum ? "AND pending IS NOT 'add'" : ""
        return "SELECT artwork_id FROM \(table) WHERE \(column) = ? \(acknowledged) ORDER BY position"
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

    /// Whether artworks were added or removed here that the server doesn't know of yet.
    func hasLocalEdits(in db: Database) throws -> Bool {
        guard isAlbum else { return false }
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM album_artwork WHERE album_id = ? AND pending IS NOT NULL)")
        return try Bool.fetchOne(statement, arguments: [owner.id]) ?? false
    }

    /// Makes it exactly `ids`; local additions to an album stay behind them, local removals stay marked. So what was added
    /// and removed on both sides is merged, artwork by artwork.
    func replace(with ids: [String], in db: Database) throws {
        var added: [String] = [], removed: Set<String> = [], failures: [String: String] = [:]
        if isAlbum {
            let edits = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT artwork_id, pending, failure FROM album_artwork
                        WHERE album_id = ? AND pending IS NOT NULL ORDER BY position
                        """), arguments: [owner.id])
            for edit in edits {
                if edit[1] == "add" { added.append(edit[0]) } else { removed.insert(edit[0]) }
                failures[edit[0]] = edit[2]
            }
        }
        try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(column) = ?").execute(arguments: [owner.id])
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(column), artwork_id, position\(isAlbum ? ", pending, failure" : ""))
                VALUES (?, ?, ?\(isAlbum ? ", ?, ?" : ""))
                """)
        let ghosts = Ghosts(db: db)
        for (position, id) in ids.enumerated() {
            try ghosts.ensure(.artwork, id)
            let common: [(any DatabaseValueConvertible)?] = [owner.id, id, position]
            let isRemoved = removed.contains(id)
            let edit: [(any DatabaseValueConvertible)?] = [
                isRemoved ? "remove" : nil, isRemoved ? failures[id] : nil,
            ]
            try insert.execute(arguments: StatementArguments(common + (isAlbum ? edit : [])))
        }
        let known = Set(ids)
        for (offset, id) in added.filter({ !known.contains($0) }).enumerated() {
            try insert.execute(arguments: [owner.id, id, ids.count + offset, "add", failures[id]])
        }
    }
}
