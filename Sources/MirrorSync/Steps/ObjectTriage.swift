import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// An object that has to be processed: by a conditional request, by an unconditional one, or only for what is below it.
struct ObjectItem: Sendable {
    let id: String
    /// The ETag for a conditional request; `nil` if nothing is stored, or the stored version must not be relied on.
    var known: String?
    /// The object's ETag as the server's list or the server's changes contain it.
    var listedETag: String?
    /// The ETags of its membership lists, by name, as the server sent them; `nil` if it sent none.
    var lists: [String: String]?
    /// Whether the stored object is current, so that only its lists and files are checked.
    var isVouched = false
    var origin = Origin.listed
    var stored = ListedMember.Stored.nothing
    /// Whether it was stored as kept or linked, and is listed now.
    var becomesListed = false
    /// Whether the list is older than the stored one: then its ETags may be outdated.
    var isOfOlderList = false
    /// Whether ``known`` is the ETag of a pruned version: if the server still has that version, nothing has to be done.
    var isPruned = false
    /// The stored states of its membership lists, by name; `nil` if they were not read from the store.
    var states: [String: ListState]?

    /// Why an object is processed.
    enum Origin: Sendable, Hashable {
        /// The server sent it in a list or among its changes.
        case listed
        /// No list contains it in this run. It is no failure if the server doesn't have it, or doesn't show it.
        case unlisted(Unlisted.State)

        /// Whether it is stored only because another object refers to it.
        var isLinked: Bool { self == .unlisted(.ghost) || self == .unlisted(.linked) }
    }

    /// Whether the request must reach the server even if a cached answer is still fresh: the list contains an ETag that differs
    /// from the stored one, or the row is marked for refetching.
    var mustReachServer: Bool { listedETag != nil || origin == .unlisted(.marked) }

    /// The ETag of the server's version, if known.
    var announcedETag: String? { isOfOlderList ? nil : listedETag }

    /// Whether an answer may be an earlier version than the server's.
    ///
    /// That is so if its ETag isn't the announced one, or, for a row that is marked for refetching, if a cache
    /// answered.
    func mayBeStale(_ answer: some RequestAnswer) -> Bool {
        origin == .unlisted(.marked)
            ? answer.isFromCache : answer.isStale(announced: announcedETag, known: known)
    }
}

/// Decides for each object whether it has to be processed, or is vouched for with its lists and files.
///
/// With validators, an object is current if its row was made from the very ETag that the list contains; the same holds for its
/// membership lists. Ghosts, rows marked for refetching, linked objects and missing files are never vouched for. A pruned
/// object is skipped as long as the server has the version that was pruned.
struct ObjectTriage {
    /// The objects that have to be processed.
    private(set) var items: [ObjectItem] = []
    /// The number of current objects.
    private(set) var vouched = 0
    private let environment: SyncEnvironment
    private let kind: Kind

    /// Decides for a chunk of a list's members.
    init(_ members: [ListedMember], of kind: Kind, isOfOlderList: Bool, _ environment: SyncEnvironment) throws
    {
        self.init(environment, kind)
        let mayVouch = !environment.options.full, knowsChanges = environment.source.knowsChanges(of: kind)
        let marked = environment.sender.marked(kind), planned = environment.planned
        var candidates: [ObjectItem] = []
        for member in members {
            if mayVouch, let pruned = member.pruned, let pruned, pruned == member.listedETag {
                vouched += 1
                continue
            }
            // A sync has stored it by now; a dry run has only recorded what that changes.
            if let planned, planned.hasReceived(Owner(kind, member.id)) {
                vouched += 1
                continue
            }
            var item = try ObjectItem(member)
            item.isVouched =
                mayVouch && (item.isVouched || knowsChanges && member.isStoredWithoutListedVersion)
                && !marked.contains(ExactText(member.id))
            item.isOfOlderList = isOfOlderList
            if member.isUndecidedPruned, let pruned = member.pruned ?? nil {
                (item.known, item.isPruned) = (pruned, true)
            }
            candidates.append(item)
        }
        try sort(candidates, hasStates: environment.hasLists)
    }

    /// Decides for objects that are known without a list.
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
                kind, ids: current, formats: options.pictureFormats, tiles: options.tiles,
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

    /// Whether all membership lists of an object are stored with the ETags that were listed, and none of its documents can have
    /// changed.
    private func areCurrent(_ listed: [String: String]?, _ stored: [String: ListState]) -> Bool {
        let isCurrent = kind.lists.allSatisfy { list in
            guard let etag = listed?[list.rawValue], let state = stored[list.rawValue] else { return false }
            return state.complete && state.etag == etag && !state.pending
        }
        // A list of documents contains only ids, so its ETag stays the same when a document changes.
        let mayHaveOtherDocuments =
            !environment.isSnapshotLoaded
            && stored[ObjectList.documents.rawValue].map { $0.members > 0 } ?? false
        return isCurrent && !mayHaveOtherDocuments
    }

    /// Parses the ETags of membership lists, by name, as they are stored with a member.
    static func lists(_ text: String) throws -> [String: String] {
        guard case .object(let object) = try JSONValue(parsing: text) else { return [:] }
        return Dictionary(
            object.members.compactMap { member in member.value.stringValue.map { (member.key, $0) } },
            uniquingKeysWith: { $1 })
    }
}

extension ObjectItem {
    /// A member of a list, with its stored row.
    init(_ member: ListedMember) throws {
        self.init(
            id: member.id, known: member.known, listedETag: member.listedETag,
            lists: try member.lists.map(ObjectTriage.lists), isVouched: member.isCurrent,
            stored: member.stored,
            becomesListed: member.becomesListed)
    }
}

extension ListedMember {
    /// Whether the row was made from the ETag that the list contains.
    var isCurrent: Bool {
        guard let listedETag, case .row(let etag?, refetch: false) = stored else { return false }
        return etag == listedETag
    }

    /// Whether the list has no version of it, and its row isn't marked for refetching.
    var isStoredWithoutListedVersion: Bool {
        guard listedETag == nil, case .row(_, refetch: false) = stored else { return false }
        return true
    }

    /// Whether it was pruned, and the list doesn't show that the server has another version now.
    var isUndecidedPruned: Bool {
        guard let pruned, let pruned else { return false }
        return listedETag == nil || listedETag == pruned
    }

    /// The ETag for a conditional request; `nil` if nothing is stored, or the row is marked for refetching.
    var known: String? {
        if case .row(let etag, refetch: false) = stored { etag } else { nil }
    }
}
