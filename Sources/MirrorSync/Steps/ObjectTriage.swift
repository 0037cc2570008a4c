import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// An object that has to be looked at: requested on condition, requested without one, or only looked under.
struct ObjectItem: Sendable {
    let id: String
    /// The ETag that a conditional request may name; `nil` if what is stored must not be relied on.
    var known: String?
    /// The ETag that the server, or its list, says it has.
    var listedETag: String?
    /// The ETags of the lists under it, by name, as the server said them; `nil` if it said none.
    var lists: [String: String]?
    /// Whether the stored object is current, so that only what is under it is looked at.
    var isVouched = false
    var origin = Origin.listed
    var stored = ListedMember.Stored.nothing
    /// Whether it is stored as kept or linked, and joins what is listed.
    var joins = false
    /// Whether the list was older than what is stored: then it doesn't tell which version the server has.
    var isOfOlderList = false
    /// Whether ``known`` is the ETag of a version that was pruned: if the server still has that, nothing is to be done.
    var isPruned = false
    /// What is stored of the lists under it, by name; `nil` if that was not looked up.
    var states: [String: ListState]?

    /// Why an object is looked at.
    enum Origin: Sendable, Hashable {
        /// The server said that it has it.
        case listed
        /// No list leads to it in this run: that the server doesn't have it, or doesn't show it, is no failure.
        case unlisted(Unlisted.State)

        /// Whether it is stored as what is only referred to.
        var isLinked: Bool { self == .unlisted(.ghost) || self == .unlisted(.linked) }
    }

    /// Whether the server must be asked even if a cached answer is still fresh: a validator that differs beats freshness, and
    /// so does a row that is marked for refetching.
    var mustReachServer: Bool { listedETag != nil || origin == .unlisted(.marked) }

    /// The ETag that the server is known to have.
    var announcedETag: String? { isOfOlderList ? nil : listedETag }

    /// Whether an answer may be an earlier version than the server has: another than the list said, or one from a cache on the
    /// way of what is requested because what came before was in doubt.
    func isInDoubt(_ answer: some RequestAnswer) -> Bool {
        origin == .unlisted(.marked)
            ? answer.isKept : answer.isStale(announced: announcedETag, known: known)
    }
}

/// Decides of each object whether it is vouched for, with all that is under it, or has to be looked at; the only place that does.
///
/// With validators, an object is current whose row was made from the very ETag that the list names; so is a list under it. Ghosts,
/// rows marked for refetching, what is only linked and missing files are never vouched for. What was pruned is left alone in
/// the version that was pruned.
struct ObjectTriage {
    /// What has to be looked at.
    private(set) var items: [ObjectItem] = []
    /// How many rows are current.
    private(set) var vouched = 0
    private let environment: SyncEnvironment
    private let kind: Kind

    /// Members of a list, a chunk at a time.
    init(_ members: [ListedMember], of kind: Kind, isOfOlderList: Bool, _ environment: SyncEnvironment) throws
    {
        self.init(environment, kind)
        let mayVouch = !environment.options.full
        var candidates: [ObjectItem] = []
        for member in members {
            if mayVouch, let pruned = member.pruned, let pruned, pruned == member.listedETag {
                vouched += 1
                continue
            }
            var item = try ObjectItem(member)
            item.isVouched = item.isVouched && mayVouch
            item.isOfOlderList = isOfOlderList
            if member.isUndecidedPruned, let pruned = member.pruned ?? nil {
                (item.known, item.isPruned) = (pruned, true)
            }
            candidates.append(item)
        }
        try sort(candidates, hasStates: environment.hasLists)
    }

    /// Objects that are given.
    init(_ given: [ObjectItem], of kind: Kind, _ environment: SyncEnvironment) throws {
        self.init(environment, kind)
        try sort(given, hasStates: true)
    }

    private init(_ environment: SyncEnvironment, _ kind: Kind) {
        (self.environment, self.kind) = (environment, kind)
    }

    private mutating func sort(_ candidates: [ObjectItem], hasStates: Bool) throws {
        let options = environment.options, store = environment.store
        let states =
            kind.lists.isEmpty || !hasStates
            ? [:] : try store.listsUnder(kind, ids: candidates.map(\.id))
        let current = candidates.filter(\.isVouched).map(\.id)
        let lacking =
            current.isEmpty || !options.media || !kind.hasFiles
            ? []
            : try store.ownersMissingFiles(
                kind, ids: current, formats: options.formats, tiles: options.tiles,
                storedTiles: options.repairsTiles)
        let revalidates = options.media && options.revalidateMedia && kind.hasFiles
        for var item in candidates {
            let under = states[item.id] ?? [:]
            if item.isVouched { vouched += 1 }
            if item.isVouched, !lacking.contains(item.id), !revalidates, areCurrent(item.lists, under) {
                continue
            }
            item.states = under
            items.append(item)
        }
    }

    /// Whether all lists under an object are stored as made from the ETags that were listed, and no document in them can have changed.
    private func areCurrent(_ listed: [String: String]?, _ stored: [String: ListState]) -> Bool {
        let isCurrent = kind.lists.allSatisfy { list in
            guard let etag = listed?[list.rawValue], let state = stored[list.rawValue] else { return false }
            return state.complete && state.etag == etag && !state.pending
        }
        // A list of documents names ids: it is the same where a document of it is another.
        let mayHaveOtherDocuments =
            !environment.isJustLoaded && stored[ObjectList.documents.rawValue].map { $0.members > 0 } ?? false
        return isCurrent && !mayHaveOtherDocuments
    }

    /// The ETags of lists, by name, as they are stored with a list's member.
    static func lists(_ text: String) throws -> [String: String] {
        guard case .object(let object) = try JSONValue(parsing: text) else { return [:] }
        return Dictionary(
            object.members.compactMap { member in member.value.stringValue.map { (member.key, $0) } },
            uniquingKeysWith: { $1 })
    }
}

extension ObjectItem {
    /// A member of a list, with what is stored of it.
    init(_ member: ListedMember) throws {
        self.init(
            id: member.id, known: member.known, listedETag: member.listedETag,
            lists: try member.lists.map(ObjectTriage.lists), isVouched: member.isCurrent,
            stored: member.stored,
            joins: member.joins)
    }
}

extension ListedMember {
    /// Whether the row was made from the ETag that the list names.
    var isCurrent: Bool {
        guard let listedETag, case .row(let etag?, refetch: false) = stored else { return false }
        return etag == listedETag
    }

    /// Whether it was pruned, and the list doesn't say that it is another version by now.
    var isUndecidedPruned: Bool {
        guard let pruned, let pruned else { return false }
        return listedETag == nil || listedETag == pruned
    }

    /// The ETag that a conditional request may name.
    var known: String? {
        if case .row(let etag, refetch: false) = stored { etag } else { nil }
    }
}
