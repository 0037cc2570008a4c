import Catalogue
import MirrorHTTP
import MirrorStore

/// Stores what was pulled: objects in the order of ``PersistingOrder``, then what was deleted in the opposite one, all in
/// one transaction.
struct PullPersisting {
    let environment: SyncEnvironment
    let applier: Applier

    /// - Throws: ``SyncError`` if the store can't be written.
    func store(_ pulled: [Kind: PulledChanges]) async throws {
        let inOrder = environment.kinds.listed.compactMap { pulled[$0] }.filter { !$0.isEmpty }
        guard !inOrder.isEmpty else { return }
        var writes = inOrder.map {
            Write.unclean(kind: $0.kind, date: $0.date?.timeIntervalSince1970)
        }
        for changes in inOrder {
            writes += changes.records.map(Write.object)
            let ids = changes.members.map(\.id) + changes.gone
            environment.session.cache?.forget(ids.compactMap { environment.router.object(changes.kind, $0) })
        }
        for changes in inOrder.reversed() {
            let evidence = SinceFeed(environment: environment, kind: changes.kind, since: changes.since)
                .operation.route
            writes += changes.gone.map {
                .tombstone(kind: changes.kind, id: $0, evidence: "deleted, says \(evidence.canonicalURL)")
            }
        }
        try await applier.submitTogether(writes)
    }
}

extension CanonicalURLCache {
    /// Removes what is held of these canonical URLs: it is not what the server has now, however fresh it was declared.
    func forget(_ routes: [Route]) {
        for route in routes { remove(key(for: base + route.canonicalURL)) }
    }
}
