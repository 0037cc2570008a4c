import Catalogue
import GRDB

/// The artworks of one show, album or location, in order: its rows in a join table.
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

    /// SQL condition: the server's list of an album has the row of `album_artwork`.
    ///
    /// The second part is for a watch of an earlier version that still runs: it doesn't set `listed` for artworks that it
    /// pushed.
    static let isListed = "(listed = 1 OR pending IS NULL)"

    /// SQL condition: the row `t` is lost if the server's list doesn't name it.
    ///
    /// Rows with a local edit, and rows of an album that was deleted locally, are not lost.
    var canLose: String {
        guard isEdited else { return "1" }
        return
            """
            t.pending IS NULL AND NOT EXISTS (
              SELECT 1 FROM "\(owner.kind.table)" b WHERE b.id = t.\(column) AND b.deleted = 1)
            """
    }

    /// The ids that the server has, without local additions and removals.
    func ids(in db: Database) throws -> [String] {
        try db.texts(
            """
            SELECT artwork_id FROM \(table) WHERE \(column) = ? AND \(isEdited ? Self.isListed : "1")
            ORDER BY position
            """, [owner.id])
    }

    /// Replaces the server's artworks with `ids`. An artwork that isn't stored becomes a ghost.
    ///
    /// Local additions to an album and removals from it stay pending, so the edits of both sides are merged artwork by
    /// artwork.
    ///
    /// An edit stays pending even if the list agrees with it, because the list may be older than an earlier push. The edit is
    /// pushed again, which changes nothing on a server that has it already. Only an edit that the server refused is settled by
    /// a list that agrees.
    func replace(with ids: [String], in db: Database) throws {
        let wanted = try isEdited ? AlbumArtworkEdit.all(of: owner.id, in: db) : []
        let listed = wanted.isEmpty ? [] : Set(ids.map(ExactText.init))
        let edits =
            wanted
            .map { (edit: $0, isListed: listed.contains(ExactText($0.artwork))) }
            .filter { !$0.edit.isSettled(whereListed: $0.isListed) }
        try db.run("DELETE FROM \(table) WHERE \(column) = ?", [owner.id])
        var insert = try FastStatement(
            db, "INSERT INTO \(table) (\(column), position, artwork_id) VALUES (?, ?, ?)")
        let unlisted = edits.filter { !$0.isListed }.map(\.edit.artwork)
        for (position, id) in (ids + unlisted).enumerated() {
            try insert.runMakingGhosts(.artwork, id, in: db, owner.id, position, id)
        }
        for (edit, isListed) in edits {
            try db.run(
                """
                UPDATE album_artwork SET listed = ?, pending = ?, failure = ?, sent = ?
                WHERE album_id = ? AND artwork_id = ?
                """, [isListed, edit.wanted.rawValue, edit.failure, edit.isSent, owner.id, edit.artwork])
        }
    }
}
