import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Stores what was pulled: objects in the order of ``PersistingOrder``, then what was deleted in the opposite one, all in
/// one transaction.
struct PullPersisting {
    let scope: PartnerScope
    let applier: Applier

    /// - Throws: ``SyncError`` if the store can't be written.
    func store(_ pulled: [ObjectKind: PulledChanges]) async throws {
        let inOrder = PersistingOrder.kinds.compactMap { pulled[$0] }.filter { !$0.isEmpty }
        guard !inOrder.isEmpty else { return }
        var writes = inOrder.map { Write.unclean(kind: $0.kind) }
        for changes in inOrder {
            writes += changes.records.map(Write.object)
            scope.forgetCached(changes.kind, changes.members.map(\.id) + changes.gone)
        }
        for changes in inOrder.reversed() {
            let evidence = SinceFeed(scope: scope, kind: changes.kind, since: changes.since).operation.route
            writes += changes.gone.map {
                .tombstone(kind: changes.kind, id: $0, evidence: "deleted, says \(evidence.canonicalURL)")
            }
        }
        try await applier.submitTogether(writes)
    }
}

extension PartnerScope {
    /// What the cache holds of these objects is not what the server has now, however fresh it was declared.
    func forgetCached(_ kind: ObjectKind, _ ids: [String]) {
        guard let cache = environment.session.cache else { return }
        for id in ids {
            guard let route = kind == .partner ? router.partner() : router.object(kind, id) else { continue }
            cache.remove(cache.key(for: environment.session.base + route.canonicalURL))
        }
    }
}
