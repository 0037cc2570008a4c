import Catalogue
import MirrorStore
import OperationTree

/// The objects of a kind that were given instead of being listed: what is current with all that is under it is left out.
struct GivenListing {
    let scope: PartnerScope
    let kind: Kind
    let items: [GivenItem]

    /// `nil` for a kind of which the server's list is asked for.
    init?(scope: PartnerScope, kind: Kind) {
        guard let items = scope.given(kind) else { return nil }
        self.scope = scope
        self.kind = kind
        self.items = kind == .album ? Self.afterPushing(items, scope.environment.report.current) : items
    }

    /// What was given is from before this run pushed anything.
    private static func afterPushing(_ items: [GivenItem], _ report: SyncReport.State) -> [GivenItem] {
        // What was pushed to may have gone by the next push.
        var left = report.pushed.filter { !report.gone.contains(ExactText($0)) }
        let known = items.filter { !report.gone.contains(ExactText($0.id)) }.map { item in
            guard left.remove(item.id) != nil else { return item }
            var item = item
            item.lists = nil
            return item
        }
        return known + left.sorted().map { GivenItem(id: $0, isVouched: true) }
    }

    /// What is vouched for is looked at all the same: files under it may be missing.
    private func expected() throws -> ExpectedMembers {
        let environment = scope.environment
        var expected = ExpectedMembers(changed: items.count { !$0.isVouched })
        expected.lacking = items.count - expected.changed
        guard environment.plan == nil, environment.options.media, expected.lacking > 0 else {
            return expected
        }
        let known = try environment.store.picturesToFetch(of: kind, formats: environment.options.formats)
        // Of those that are not looked at now, none is fetched.
        guard known.owners > expected.lacking else {
            expected.pictures = known.pictures
            return expected
        }
        expected.pictures = known.pictures * expected.lacking / known.owners
        return expected
    }

    private struct Cursor: Sendable {
        var position = 0
        var items: [ListedItem] = []
    }

    func expand() async throws -> Expansion<ListedItem> {
        let environment = scope.environment
        try await environment.applier.flush()
        do {
            let expected = try expected()
            environment.report.note { state in
                if state.expected[kind] == nil { state.expected[kind] = expected }
            }
            try environment.foretell(hasValidators: scope.hasValidators)
        } catch let error as StoreError {
            throw SyncError(error)
        }
        return Expansion.unfolding(Cursor(), count: items.count) { cursor in
            while cursor.items.isEmpty {
                guard cursor.position < items.count else { return nil }
                let end = min(cursor.position + 500, items.count)
                do {
                    cursor.items = try looked(at: Array(items[cursor.position..<end])).reversed()
                } catch let error as StoreError {
                    throw SyncError(error)
                }
                cursor.position = end
            }
            return cursor.items.removeLast()
        }
    }

    private func looked(at chunk: [GivenItem]) throws -> [ListedItem] {
        let store = scope.environment.store, options = scope.environment.options
        let states =
            kind.lists.map(\.rawValue).isEmpty ? [:] : try store.listsUnder(kind, ids: chunk.map(\.id))
        let vouched = chunk.filter(\.isVouched).map(\.id)
        let lacking =
            vouched.isEmpty || !options.media || !kind.hasFiles
            ? [] : try store.ownersMissingFiles(kind, ids: vouched, formats: options.formats)
        let revalidates = options.media && options.revalidateMedia && kind.hasFiles
        return chunk.compactMap { item in
            let under = states[item.id] ?? [:]
            if item.isVouched, !lacking.contains(item.id), !revalidates,
                MemberTriage.areCurrent(item.lists, under, needed: kind.lists.map(\.rawValue)),
                !ObjectScope.mayHaveOtherDocuments(scope, under)
            {
                return nil
            }
            return ListedItem(item, scope: scope, states: under)
        }
    }
}
