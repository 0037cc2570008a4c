import Catalogue
import MirrorStore

/// Where the objects of a kind come from.
package enum Listing: Sendable {
    /// The partner's own list of the kind, asked from the server in this run.
    case list
    /// These, known from elsewhere: no list is asked for, and none counts as complete, incomplete or clean because of them.
    case given([GivenItem])
}

/// An object to look at of which something else than its kind's own list told.
package struct GivenItem: Sendable, Hashable {
    package let id: String
    /// The ETag that a conditional request may name; `nil` if what is stored must not be relied on.
    package var known: String?
    /// The ETag that the server says it has.
    package var listedETag: String?
    /// The ETags of the lists under it, by name, as the server said them; `nil` if it said none.
    package var lists: [String: String]?
    /// Whether the stored object is current, so that only what is under it is looked at.
    package var isVouched: Bool
    package var origin: Origin

    /// Why it is looked at.
    package enum Origin: Sendable, Hashable {
        /// The server said that it has it.
        case listed
        /// No list leads to it in this run: that the server doesn't have it, or doesn't show it, is no failure.
        case unlisted(Unlisted.State)

        /// Whether it is stored as what is only referred to.
        var isLinked: Bool { self == .unlisted(.ghost) || self == .unlisted(.linked) }
    }

    package init(
        id: String, known: String? = nil, listedETag: String? = nil, lists: [String: String]? = nil,
        isVouched: Bool = false, origin: Origin = .listed
    ) {
        self.id = id
        self.known = known
        self.listedETag = listedETag
        self.lists = lists
        self.isVouched = isVouched
        self.origin = origin
    }
}
