import Catalogue
import CatalogueSources
import MirrorStore
import Synchronization

/// Remembers a described source, and stores its museum as the partner, once its server has answered as described.
///
/// A mistyped address, or the wrong description, so leaves nothing behind.
final class SourceIdentification: Sendable {
    private let isDone = Mutex(false)

    /// Whether the server has answered as described in this run.
    var isConfirmed: Bool { isDone.withLock { $0 } }

    /// Remembers the source. Does nothing when it is called again.
    func confirm(_ environment: SyncEnvironment) async throws {
        guard let catalogue = environment.catalogue, isFirst() else { return }
        try environment.whenIdentified()
        let partner = try Partner(catalogue.description.partner)
        let known = try environment.store.storedSingle(.partner)
        guard known?.json != partner.json.canonicalText else { return }
        try await environment.applier.submit(
            .object(ObjectRecord(.partner, partner, etag: nil, partner: partner.id)))
    }

    /// Makes ``confirm(_:)`` do nothing, for requests that don't belong to a sync.
    func leaveOut() { _ = isFirst() }

    private func isFirst() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}

extension SourceDescription {
    /// The museum as a partner.
    var partner: JSONObject {
        var partner: JSONObject = [
            "id": .string(id), "slug": .string(id), "name": .string(title), "type": "Institution",
        ]
        if let website { partner["website"] = .string(website) }
        return partner
    }
}
