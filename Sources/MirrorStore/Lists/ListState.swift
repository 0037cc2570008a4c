import Catalogue
import GRDB

/// What a list's answer said of the list itself.
package struct ListAnswer: Sendable {
    package let list: ListName
    package let etag: String?
    /// When the server made the answer: its `Date` less `Age`, seconds since 1970.
    package let date: Double?
    /// Whether every element could be used. What a list that is not complete lacks stays, and no ETag vouches for it.
    package let isComplete: Bool

    package init(list: ListName, etag: String?, date: Double?, isComplete: Bool = true) {
        self.list = list
        self.etag = isComplete ? etag : nil
        self.date = date
        self.isComplete = isComplete
    }
}

/// Which list: its canonical URL, and what it is the list of.
package struct ListName: Sendable, Hashable {
    package let url: String
    package let owner: Owner
    /// `artworks`, `documents`, `images?default=0`, …: the name that the `validators` extension gives it.
    package let name: String

    package init(url: String, owner: Owner, name: String) {
        self.url = url
        self.owner = owner
        self.name = name
    }
}

/// What is stored of a list that the server keeps.
package struct ListState: Sendable, Hashable {
    package let number: Int64
    package let etag: String?
    /// When the server made the answer that was last applied, seconds since 1970.
    package let date: Double?
    package let complete: Bool
    package let members: Int
    package let run: Int64?
    package let version: Int64
    /// Its members wait to be joined to their owner.
    package let pending: Bool
    /// The ETag with which its scope last ended without a failed member or missing picture.
    package let cleanETag: String?
    /// The formats that were wanted then, separated by commas; `nil` when no media were wanted.
    package let cleanFormats: String?

    /// The ETag that a conditional request may name; `nil` unless all of it was answered.
    package var known: String? { complete ? etag : nil }
}

/// A list's members while they are taken in: nobody sees them before ``CatalogueStore/commit(_:answer:count:)``.
package struct ListDraft: Sendable, Hashable {
    package let list: ListName
    package let number: Int64
    package let version: Int64
}

/// A member of one of the partner's own lists, beside what is stored of it.
package struct ListedMember: Sendable {
    package let position: Int64
    package let id: String
    /// The ETag that the list says it has; `nil` without validators.
    package let listedETag: String?
    /// Canonical JSON of the ETags of the lists under it; `nil` without validators.
    package let lists: String?
    package let stored: Stored
    /// The ETag of a version that was pruned, and of which nothing, or only a restored copy, is here; `nil` of what was
    /// never pruned.
    package var pruned: String?? = nil
    /// Whether what is stored was restored, or is only referred to: with the list it comes back, or comes.
    package var joins = false

    /// What the mirror has of it.
    package enum Stored: Sendable, Hashable {
        case nothing
        /// A row made from a body with that ETag; `refetch` if it must not be vouched for.
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
