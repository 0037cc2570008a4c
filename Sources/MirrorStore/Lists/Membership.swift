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
    func ids(in db: Database) throws -> [String] {
        try db.texts(
            """
            SELECT artwork_id FROM \(table) WHERE \(column) = ? AND \(isEdited ? Self.isListed : "1")
            ORDER BY position
            """, [owner.id])
    }

    /// Makes it exactly `ids`; what isn't stored becomes a ghost. What was added to an album and removed from it here is still
    /// wanted. So what was added and removed on both sides is merged, artwork by artwork.
    ///
    /// A list that agrees with an edit doesn't settle it: it may be older than what was pushed before the edit. The edit is
    /// pushed all the same, which changes nothing where it was made already. Only one that the server refused is settled.
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
