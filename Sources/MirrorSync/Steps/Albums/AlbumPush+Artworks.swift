import Catalogue
import MirrorHTTP
import MirrorStore

/// The artworks that were added to an album here, then those that were taken out, each pushed for itself.
extension AlbumPush {
    struct ArtworkEdit: Sendable {
        let artwork: String
        let isPresent: Bool
        let route: Route
    }

    /// After that number of artworks on which the server failed (500), the album's other additions, or removals, wait for the
    /// next sync, in which they come first.
    private static let faultsForgiven = 3

    func artworkEdits(_ album: PendingAlbum) -> [ArtworkEdit] {
        album.added.map {
            ArtworkEdit(artwork: $0, isPresent: true, route: router.addArtwork($0, toAlbum: album.id))
        }
            + album.removed.map {
                ArtworkEdit(
                    artwork: $0, isPresent: false, route: router.removeArtwork($0, fromAlbum: album.id))
            }
    }

    /// - Parameters:
    ///   - album: as it is now, under its id on the server.
    ///   - report: called for every edit that was not taken.
    /// - Throws: what stops the other edits of the album, too.
    func pushArtworks(of album: PendingAlbum, _ report: (any Error) -> Void) async throws {
        var faults = [true: 0, false: 0]
        for edit in artworkEdits(album) where faults[edit.isPresent, default: 0] < Self.faultsForgiven {
            // Another program may have taken it back meanwhile.
            guard
                let wasSent = try store.willPushArtwork(edit.artwork, in: album.id, present: edit.isPresent)
            else { continue }
            do {
                _ = try await environment.send(WriteOperation(edit.route))
            } catch let error as HTTPError {
                switch PushVerdict(error) {
                // Gone already is as good as removed.
                case .gone where !edit.isPresent: break
                case .gone, .refused, .outdated:
                    // The album or the artwork is gone: if the album, nothing of it is left to be pushed.
                    if PushVerdict(error) == .gone, try await reconcile(album.id) == nil { return }
                    try store.failAlbumArtwork(
                        edit.artwork, in: album.id, present: edit.isPresent, reason: error.message)
                    report(error)
                    continue
                // A server's fault may be about this one alone; several are about the server.
                case .unanswered where error.status == 500:
                    faults[edit.isPresent, default: 0] += 1
                    report(error)
                    continue
                case .unanswered: throw error
                case .temporary:
                    if !wasSent { try store.didNotPushArtwork(edit.artwork, in: album.id) }
                    throw error
                }
            }
            try store.acknowledgeAlbumArtwork(edit.artwork, in: album.id, present: edit.isPresent)
            environment.report.note { _ = $0.pushed.insert(album.id) }
        }
    }
}
