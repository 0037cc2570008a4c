import Catalogue
import MirrorHTTP
import MirrorStore

/// An object that has to be looked at: a member of one of the partner's own lists, or given (``Listing``).
package struct ListedItem: Sendable {
    package let scope: PartnerScope
    package let id: String
    /// The ETag that the stored row was made from; `nil` if there is none, or it must not be vouched for.
    package let known: String?
    /// The ETag that the list says it has.
    package let listedETag: String?
    /// Whether the row itself is current, so that only what is under it is looked at.
    package let isVouched: Bool
    package let lists: [String: String]?
    /// What is stored of the lists under it, by name; `nil` if that was not looked up.
    package let states: [String: ListState]?
    /// What a run will do to it, for a plan.
    let prospect: Prospect
    /// Whether a plan asks for it, since only that tells.
    let isSampled: Bool
    /// How it came to be looked at, where that isn't the list of its kind.
    package private(set) var origin = GivenItem.Origin.listed
    /// Whether the list was older than what is here: then it doesn't tell which version the server has.
    var isOfOlderList = false
    /// Whether ``known`` is the ETag of a version that was pruned: if the server still has that, nothing is to be done.
    var isPruned = false

    package init(
        scope: PartnerScope, id: String, known: String? = nil, listedETag: String? = nil,
        isVouched: Bool = false,
        lists: [String: String]? = nil, states: [String: ListState]? = nil
    ) {
        self.init(
            scope: scope, id: id, known: known, listedETag: listedETag, isVouched: isVouched, lists: lists,
            states: states, prospect: .undecided, isSampled: false)
    }

    init(
        scope: PartnerScope, id: String, known: String?, listedETag: String?, isVouched: Bool,
        lists: [String: String]?, states: [String: ListState]?, prospect: Prospect, isSampled: Bool
    ) {
        self.prospect = prospect
        self.isSampled = isSampled
        self.scope = scope
        self.id = id
        self.known = known
        self.listedETag = listedETag
        self.isVouched = isVouched
        self.lists = lists
        self.states = states
    }

    /// An item that no list names in this run.
    init(_ item: GivenItem, scope: PartnerScope, states: [String: ListState]?) {
        self.init(
            scope: scope, id: item.id, known: item.known, listedETag: item.listedETag,
            isVouched: item.isVouched, lists: item.lists, states: states)
        origin = item.origin
    }

    /// The object as what its lists are looked at under.
    func objectScope(_ kind: Kind) -> ObjectScope {
        ObjectScope(partner: scope, owner: Owner(kind, id), lists: lists, states: states)
    }

    /// Beside what the row says: must the server be asked even if a cached answer is still fresh?
    ///
    /// A validator that differs beats freshness, and so does a row that is marked for refetching. Where later runs ask only
    /// for what changed since this one, or a feed tells only of that, nothing may be taken for current that nobody looked at.
    var cacheUse: Request.CacheUse {
        let extensions = scope.extensions
        return listedETag != nil || origin == .unlisted(.marked)
            || extensions.contains("since") || extensions.contains("events") ? .noCache : .use
    }

    /// The ETag that the server is known to have.
    var announcedETag: String? { isOfOlderList ? nil : listedETag }

    /// Whether an answer may be an earlier version than the server has: other than the list said, or kept by something on
    /// the way of what is asked for because what came before was in doubt.
    func isDoubtful(_ fetched: Fetched) -> Bool {
        origin == .unlisted(.marked)
            ? fetched.isKept : fetched.isStale(announced: announcedETag, known: known)
    }
}
