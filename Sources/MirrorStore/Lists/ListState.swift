import Catalogue
import GRDB

/// The data of a list's answer about the list itself, without its members.
package struct ListAnswer: Sendable {
    package let list: ListName
    package let etag: String?
    /// When the server made the answer: `Date` minus `Age`, in seconds since 1970; `nil` if unknown.
    package let date: Double?
    /// Whether every element could be used. An incomplete list removes nothing, and its ETag isn't stored.
    package let isComplete: Bool

    package init(list: ListName, etag: String?, date: Double?, isComplete: Bool = true) {
        self.list = list
        self.etag = isComplete ? etag : nil
        self.date = date
        self.isComplete = isComplete
    }
}

/// Identifies a list: its canonical URL, its owner and its name.
package struct ListName: Sendable, Hashable {
    package let url: String
    package let owner: Owner
    /// The name in the `validators` extension: `artworks`, `documents`, `images?default=0`, ….
    package let name: String

    package init(url: String, owner: Owner, name: String) {
        self.url = url
        self.owner = owner
        self.name = name
    }

    /// The end of the URL of a list that the server sends inside its object, and that has no URL of its own.
    static let ownMembers = "#artworks"

    /// The artworks that an object's own answer contains.
    ///
    /// - Parameter url: the object's URL.
    package init(membersIn url: String, of owner: Owner) {
        self.init(url: url + Self.ownMembers, owner: owner, name: ObjectList.artworks.rawValue)
    }
}

/// The stored state of one of the server's lists.
package struct ListState: Sendable, Hashable {
    package let number: Int64
    package let etag: String?
    /// When the server made the answer that was last applied, in seconds since 1970.
    package let date: Double?
    package let complete: Bool
    package let members: Int
    package let run: Int64?
    package let version: Int64
    /// Whether its members are still to be joined to their owner.
    package let pending: Bool
    /// The list's ETag when its scope last ended without a failed member or missing picture.
    package let cleanETag: String?
    /// The formats that were wanted at that time, separated by commas; `nil` if no media were wanted.
    package let cleanFormats: String?

    /// The ETag for a conditional request; `nil` if the list isn't complete.
    package var conditionalETag: String? { complete ? etag : nil }
}

/// A list whose members are being received. They become the list's members in ``CatalogueStore/commit(_:answer:count:)``.
package struct ListDraft: Sendable, Hashable {
    package let list: ListName
    package let number: Int64
    package let version: Int64
}

/// A member of one of the partner's own lists, with the state of its stored row.
package struct ListedMember: Sendable {
    package let position: Int64
    package let id: String
    /// The object's ETag in the list; `nil` without the `validators` extension.
    package let listedETag: String?
    /// The ETags of the lists under the object, as canonical JSON; `nil` without the `validators` extension.
    package let lists: String?
    package let stored: Stored
    /// The ETag of the version that was pruned; `nil` for an object that wasn't pruned, or was stored again since by a sync.
    package var pruned: String?? = nil
    /// Whether the stored row is kept or linked. Because the list contains it, it becomes an ordinary object.
    package var becomesListed = false

    /// The state of a member's row.
    package enum Stored: Sendable, Hashable {
        /// There is no row, or only a ghost.
        case nothing
        /// A row that was made from a body with that ETag. With `refetch` it is requested even if the ETag is unchanged.
        case row(etag: String?, refetch: Bool)
    }
}

extension ListState {
    static let columns = """
        number, etag, date, complete, members, run, version, pending, clean_etag, clean_formats
        """

    static func find(_ url: String, in db: Database) throws -> ListState? {
        try db.row("SELECT \(columns) FROM list WHERE url = ?", [url]).map(ListState.init)
    }

    init(row: Row) {
        self.init(
            number: row[0], etag: row[1], date: row[2], complete: row[3], members: row[4], run: row[5],
            version: row[6],
            pending: row[7], cleanETag: row[8], cleanFormats: row[9])
    }
}
