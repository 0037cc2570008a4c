import MirrorStore
import OperationTree

/// The objects of a kind that were given instead of being listed: what is current with all that is under it is left out.
struct GivenListing {
    let scope: PartnerScope
    let kind: ObjectKind
    let items: [GivenItem]

    /// `nil` for a kind of which the server's list is asked for.
    init?(scope: PartnerScope, kind: ObjectKind) {
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

    private struct Cursor: Sendable {
        var position = 0
        var items: [ListedItem] = []
    }

    func expand() async throws -> Expansion<ListedItem> {
        let environment = scope.environment
        try await environment.applier.flush()
        let asked = items.count { !$0.isVouched }
        environment.report.note { state in
            if state.expected[kind] == nil { state.expected[kind] = ExpectedMembers(changed: asked) }
        }
        do {
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
        let states = kind.listNames.isEmpty ? [:] : try store.listsUnder(kind, ids: chunk.map(\.id))
        let vouched = chunk.filter(\.isVouched).map(\.id)
        let lacking =
            vouched.isEmpty || !options.media || !kind.hasFiles
            ? [] : try store.ownersMissingFiles(kind, ids: vouched, formats: options.formats)
        let revalidates = options.media && options.revalidateMedia && kind.hasFiles
        return chunk.compactMap { item in
            let under = states[item.id] ?? [:]
            if item.isVouched, !lacking.contains(item.id), !revalidates,
                MemberTriage.areCurrent(item.lists, under, needed: kind.listNames),
                !ObjectScope.mayHaveOtherDocuments(scope, under)
            {
                return nil
            }
            return ListedItem(item, scope: scope, states: under)
        }
    }
}
