import Catalogue

/// The objects of one kind that belong to an object of another, or that it belongs to, as a table has them: which artworks a
/// show has, in which shows an artwork is.
struct Relation {
    let kind: Kind
    /// The table with a row for each pair. Where that is the kind's own, an object has one owner.
    let table: String
    /// The column of ``table`` with the id of the object of ``kind``.
    let member: String
    /// The column of ``table`` with the owner's id.
    let owner: String
    /// SQL: whether a row of ``table`` counts here: what was taken out of an album here doesn't.
    let isHere: String
    /// The columns of ``table`` by which the objects are in order; `nil` where it has no order: then they are in that of their names.
    let order: String?

    /// `nil` for kinds that have nothing to do with each other. Documents, which are parts of their owner, have none.
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

    /// - Parameter list: the kind whose list of members the table holds.
    private init(
        _ kind: Kind, _ table: String, _ member: String, _ owner: String, of list: Kind, _ order: String?
    ) {
        (self.kind, self.table, self.member, self.owner, self.order) = (kind, table, member, owner, order)
        isHere = list.isEdited && table == list.membersTable ? "pending IS NOT 'remove'" : "1"
    }

    /// SQL: the ids of the objects that belong to `owner`, a parameter, stored or not, in the relation's own order.
    func ids(of owner: String) -> String {
        """
        SELECT \(member) FROM \(table) WHERE \(self.owner) = \(owner) AND \(isHere)\(order.map { " ORDER BY \($0)" } ?? "")
        """
    }

    /// SQL: id and JSON of the objects of an owner that are stored; its id, the number of objects and how many are passed over are the
    /// parameters.
    var objects: String {
        """
        SELECT o.id, o.json FROM (SELECT \(member) AS member\(order.map { ", \($0) AS place" } ?? "")
          FROM \(table) WHERE \(owner) = ? AND \(isHere)) m
        JOIN "\(kind.table)" o ON o.id = m.member WHERE \(kind.isStored)
        ORDER BY \(order == nil ? kind.orderOfNames : "m.place") LIMIT ? OFFSET ?
        """
    }
}
