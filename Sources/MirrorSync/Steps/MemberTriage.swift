import Catalogue
import MirrorStore

/// Sorts a chunk of a list's members: which are vouched for with everything under them, and which must be looked at.
///
/// With validators, an object whose row was made from the very ETag that the list says is current; so is a list under it.
/// Ghosts, rows marked for refetching, what is only linked and missing files are never vouched for. What was pruned is
/// left alone in the version that was pruned.
struct MemberTriage {
    private(set) var items: [ListedItem] = []
    private(set) var vouched = 0

    init(scope: PartnerScope, kind: Kind, chunk: [ListedMember]) throws {
        let environment = scope.environment, options = environment.options
        let mayVouch = !options.full
        let current = mayVouch ? chunk.filter(\.isCurrent).map(\.id) : []
        let hasStates = !kind.lists.map(\.rawValue).isEmpty && environment.hasLists
        let states = hasStates ? try environment.store.listsUnder(kind, ids: chunk.map(\.id)) : [:]
        let lacking =
            current.isEmpty || !options.media || !kind.hasFiles
            ? [] : try environment.store.ownersMissingFiles(kind, ids: current, formats: options.formats)
        for member in chunk {
            if mayVouch, let pruned = member.pruned, let pruned, pruned == member.listedETag {
                vouched += 1
                continue
            }
            let lists = try member.lists.map(Self.read)
            let isVouched = mayVouch && member.isCurrent
            if isVouched, !lacking.contains(member.id),
                !(options.media && options.revalidateMedia && kind.hasFiles),
                Self.areCurrent(lists, states[member.id] ?? [:], needed: kind.lists.map(\.rawValue)),
                !ObjectScope.mayHaveOtherDocuments(scope, states[member.id] ?? [:])
            {
                vouched += 1
                continue
            }
            if isVouched { vouched += 1 }
            // Of what was pruned only asking tells whether it is another version now.
            let pruned = member.isUndecidedPruned ? member.pruned ?? nil : nil
            let prospect =
                pruned != nil
                ? .undecided
                : Prospect(
                    stored: member.stored, listed: member.listedETag, trustsETags: !environment.isSwitch,
                    joins: member.joins)
            let isSampled = prospect == .undecided && environment.plan?.takesSample(of: kind) == true
            var item = ListedItem(
                scope: scope, id: member.id, known: pruned ?? member.known, listedETag: member.listedETag,
                isVouched: isVouched, lists: lists, states: states[member.id] ?? [:], prospect: prospect,
                isSampled: isSampled)
            item.isPruned = pruned != nil
            items.append(item)
        }
    }

    /// Whether all lists under an object are stored as made from the ETags that were listed.
    static func areCurrent(_ listed: [String: String]?, _ stored: [String: ListState], needed: [String])
        -> Bool
    {
        needed.allSatisfy { name in
            guard let etag = listed?[name], let state = stored[name] else { return false }
            return state.complete && state.etag == etag && !state.pending
        }
    }

    static func read(_ text: String) throws -> [String: String] {
        guard case .object(let object) = try JSONValue(parsing: text) else { return [:] }
        return Dictionary(
            object.members.compactMap { member in member.value.stringValue.map { (member.key, $0) } },
            uniquingKeysWith: { $1 })
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
