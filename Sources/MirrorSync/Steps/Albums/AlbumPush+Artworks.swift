import Catalogue
import MirrorHTTP
import MirrorStore

/// Pushes an album's artwork edits, additions first; each is one request.
extension AlbumPush {
    /// One artwork that was added to an album locally, or removed from it.
    struct ArtworkEdit: Sendable {
        let artwork: String
        /// `true` for an addition, `false` for a removal.
        let isPresent: Bool
        let route: Route
    }

    /// After this number of server errors (500), the album's remaining additions, or removals, wait for the next sync, which
    /// pushes them first.
    private static let maxServerErrors = 3

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
    ///   - album: the album's present state, with its id on the server.
    ///   - report: called for every edit that the server did not accept.
    /// - Throws: an error that prevents the other edits of the album, too.
    func pushArtworks(of album: PendingAlbum, _ report: (any Error) -> Void) async throws {
        var serverErrors = [true: 0, false: 0]
        for edit in artworkEdits(album)
        where serverErrors[edit.isPresent, default: 0] < Self.maxServerErrors {
            // Another program may have reverted the edit meanwhile.
            guard
                let wasSent = try store.recordArtworkPush(edit.artwork, in: album.id, present: edit.isPresent)
            else { continue }
            do {
                _ = try await environment.send(WriteOperation(edit.route))
            } catch let error as HTTPError {
                switch PushVerdict(error) {
                // It is already removed.
                case .gone where !edit.isPresent: break
                case .gone, .refused, .outdated:
                    // Either the album or the artwork is gone. If it is the album, its other edits have no target.
                    if PushVerdict(error) == .gone, try await reconcile(album.id) == nil { return }
                    try store.failAlbumArtwork(
                        edit.artwork, in: album.id, present: edit.isPresent, reason: error.message)
                    report(error)
                    continue
                // One 500 may concern only this artwork; several concern the server.
                case .unanswered where error.status == 500:
                    serverErrors[edit.isPresent, default: 0] += 1
                    report(error)
                    continue
                case .unanswered: throw error
                case .temporary:
                    if !wasSent { try store.recordUnsentArtwork(edit.artwork, in: album.id) }
                    throw error
                }
            }
            try store.acknowledgeAlbumArtwork(edit.artwork, in: album.id, present: edit.isPresent)
            environment.report.note { _ = $0.pushed.insert(album.id) }
        }
    }
}
