import Catalogue

/// A relation of two kinds of objects in a table, such as the artworks of a show or the shows of an artwork.
struct Relation {
    /// The kind of the objects that the relation finds.
    let kind: Kind
    /// The table with a row for each pair. If it is the table of ``kind``, each object has one owner.
    let table: String
    /// The column of ``table`` with the id of the object of ``kind``.
    let member: String
    /// The column of ``table`` with the owner's id.
    let owner: String
    /// SQL: whether a row of ``table`` counts. Artworks that were locally removed from an album don't.
    let isIncluded: String
    /// The columns of ``table`` by which the objects are ordered; `nil` to order them by name.
    let order: String?

    /// Finds the relation of two kinds; `nil` if they are unrelated. Documents are parts of their owner and have no relations.
    init?(_ kind: Kind, of owner: Kind) {
        if kind == .artwork, owner.hasMembers {
            self.init(kind, owner.membersTable, "artwork_id", owner.idColumn, of: owner, "position")
        } else if kind == .artwork, owner == .artist {
            self.init(kind, kind.artistsTable, "artwork_id", "artist_id", of: owner, "artwork_id")
        } else if kind == .artist, owner.hasArtists {
            self.init(kind, owner.artistsTable, "artist_id", owner.idColumn, of: owner, "position")
        } else if kind.hasMembers, owner == .artwork {
            self.init(kind, kind.membersTable, kind.idColumn, "artwork_id", of: kind, nil)
        } else if kind.hasArtists, owner == .artist {
            self.init(kind, kind.artistsTable, kind.idColumn, "artist_id", of: kind, nil)
        } else if kind.hasLocation, owner == .location {
            self.init(kind, "\"\(kind.table)\"", "id", "location_id", of: kind, nil)
        } else {
            return nil
        }
    }

    /// - Parameter list: the kind whose lists of members the table contains.
    private init(
        _ kind: Kind, _ table: String, _ member: String, _ owner: String, of list: Kind, _ order: String?
    ) {
        (self.kind, self.table, self.member, self.owner, self.order) = (kind, table, member, owner, order)
        isIncluded = list.isEdited && table == list.membersTable ? "pending IS NOT 'remove'" : "1"
    }

    /// SQL: the ids of an owner's objects, including objects that aren't stored, in the relation's order.
    ///
    /// - Parameter owner: the SQL parameter for the owner's id, such as `?`.
    func ids(of owner: String) -> String {
        """
        SELECT \(member) FROM \(table) WHERE \(self.owner) = \(owner) AND \(isIncluded)\(order.map { " ORDER BY \($0)" } ?? "")
        """
    }

    /// SQL: id and JSON of an owner's stored objects. Its parameters are the owner's id, the limit and the offset.
    var objects: String {
        """
        SELECT o.id, o.json FROM (SELECT \(member) AS member\(order.map { ", \($0) AS place" } ?? "")
          FROM \(table) WHERE \(owner) = ? AND \(isIncluded)) m
        JOIN "\(kind.table)" o ON o.id = m.member WHERE \(kind.isStored)
        ORDER BY \(order == nil ? kind.orderOfNames : "m.place") LIMIT ? OFFSET ?
        """
    }
}
