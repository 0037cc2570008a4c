import Catalogue
import MirrorHTTP
import MirrorStore

/// Pushes the artworks that were added to an album here, then those that were taken out, each for itself.
struct AlbumArtworkPush: Sendable {
    let exchange: AlbumExchange
    let album: PendingAlbum

    private struct Edit {
        let artwork: String
        let isPresent: Bool
        let route: Route
    }

    /// After so many artworks on which the server failed (500), the album's other additions, or removals, wait for the
    /// next sync, in which they come first.
    private static let faultsForgiven = 3

    private var store: CatalogueStore { exchange.store }

    /// What would be written.
    var operations: [WriteOperation] { (additions + removals).map { WriteOperation($0.route) } }

    /// - Parameter report: called for every edit that was not taken.
    /// - Throws: what stops the other edits of the album, too.
    func run(report: (any Error) -> Void) async throws {
        guard try await push(additions, report) else { return }
        _ = try await push(removals, report)
    }

    /// - Returns: whether the album is still there.
    private func push(_ edits: [Edit], _ report: (any Error) -> Void) async throws -> Bool {
        var faults = 0
        for edit in edits where faults < Self.faultsForgiven {
            // Another program may have taken it back meanwhile.
            guard
                let wasSent = try store.willPushArtwork(edit.artwork, in: album.id, present: edit.isPresent)
            else { continue }
            do {
                _ = try await exchange.environment.send(WriteOperation(edit.route))
            } catch let error as HTTPError {
                switch PushVerdict(error) {
                // Gone already is as good as removed.
                case .gone where !edit.isPresent: break
                case .gone:
                    // The album or the artwork: if the album, nothing of it is left to be pushed.
                    guard try await exchange.weigh(album.id) != nil else { return false }
                    try refuse(edit, error, report)
                    continue
                case .refused, .outdated:
                    try refuse(edit, error, report)
                    continue
                // A server's fault may be about this one alone; several are about the server.
                case .unanswered where error.status == 500:
                    faults += 1
                    report(error)
                    continue
                case .unanswered: throw error
                case .temporary:
                    if !wasSent { try store.didNotPushArtwork(edit.artwork, in: album.id) }
                    throw error
                }
            }
            try store.acknowledgeAlbumArtwork(edit.artwork, in: album.id, present: edit.isPresent)
            exchange.environment.report.note { _ = $0.pushed.insert(album.id) }
        }
        return true
    }

    private func refuse(_ edit: Edit, _ error: HTTPError, _ report: (any Error) -> Void) throws {
        try store.failAlbumArtwork(
            edit.artwork, in: album.id, present: edit.isPresent, reason: error.message)
        report(error)
    }

    private var additions: [Edit] {
        album.added.map {
            Edit(artwork: $0, isPresent: true, route: exchange.router.addArtwork($0, toAlbum: album.id))
        }
    }

    private var removals: [Edit] {
        album.removed.map {
            Edit(artwork: $0, isPresent: false, route: exchange.router.removeArtwork($0, fromAlbum: album.id))
        }
    }
}
