import Catalogue
import MirrorStore

/// What a server says was deleted since, as the delete guard sees it.
///
/// A tombstone is evidence of its own, but a server that lost its objects has as many of them as its list lacks. What
/// the guard would not let a sweep do, the list has to say as well, and the sweep is then asked about.
struct PulledDeletions {
    let intents: [DeleteGuard.Intent]

    init(_ pulled: [Kind: PulledChanges], in store: CatalogueStore) throws {
        intents = try store.kinds.listed.compactMap { kind in
            guard let changes = pulled[kind], !changes.gone.isEmpty else { return nil }
            let held = try store.heldCount(kind)
            let deletions = try store.listed(kind, among: changes.gone).count
            return DeleteGuard.Intent(
                kind: kind, held: held, listed: held - deletions + changes.members.count, deletions: deletions
            )
        }
    }

    init(_ intents: [DeleteGuard.Intent]) { self.intents = intents }

    /// The kinds of which the whole list is looked at instead: once the guard objects to one, all of which anything would
    /// go, as it stops every kind or none.
    func kindsToList(_ deleteGuard: DeleteGuard) -> [Kind] {
        let objections = deleteGuard.objections(to: intents)
        guard objections.contains(where: { $0.deletions > DeleteGuard.few }) else { return [] }
        return intents.filter { $0.deletions > 0 }.map(\.kind)
    }
}
