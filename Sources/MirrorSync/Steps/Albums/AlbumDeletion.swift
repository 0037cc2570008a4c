import Catalogue
import MirrorHTTP
import MirrorStore

/// Deletes on the server one album that was deleted here, unless the conflict table says that the server's version is to
/// stay.
struct AlbumDeletion: Sendable {
    let exchange: AlbumExchange
    let album: PendingAlbum

    init(_ environment: SyncEnvironment, album: PendingAlbum) {
        exchange = AlbumExchange(environment: environment)
        self.album = album
    }

    private var store: CatalogueStore { exchange.store }
    private var run: Int64 { exchange.environment.run }

    var operation: WriteOperation {
        WriteOperation(exchange.router.deleteAlbum(album.id, ifMatch: album.baseETag))
    }

    func perform() async throws {
        guard let id = try await idOnServer() else { return }
        for _ in 0..<2 {
            guard let pending = try await exchange.weigh(id), pending.isDeleted else { return }
            do {
                let route = exchange.router.deleteAlbum(id, ifMatch: pending.baseETag)
                _ = try await exchange.environment.send(WriteOperation(route))
                return try end(id)
            } catch let error as HTTPError {
                switch PushVerdict(error) {
                case .gone: return try end(id)
                case .outdated: continue
                case .refused:
                    try store.failAlbumDeletion(id, reason: error.message)
                    throw error
                case .temporary, .unanswered: throw error
                }
            }
        }
        throw SyncProblem.restless
    }

    private func end(_ id: String) throws {
        try store.acknowledgeAlbumDeletion(id, run: run)
        exchange.environment.report.note { _ = $0.gone.insert(ExactText(id)) }
    }

    /// The album's id; of one whose creation was sent and never answered, that of what it made. `nil` if it made nothing.
    private func idOnServer() async throws -> String? {
        guard !album.acknowledged else { return album.id }
        guard let sent = album.sent, let found = try await exchange.find(sent) else {
            try store.acknowledgeAlbumDeletion(album.id, run: run)
            return nil
        }
        // An edit came since it was sent, the deletion: that is what is pushed now.
        try store.acknowledgeAlbum(album.id, with: found, edit: sent.edit, run: run)
        return found.id
    }
}
