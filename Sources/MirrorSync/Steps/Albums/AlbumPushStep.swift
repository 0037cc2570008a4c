import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Pushes local edits of albums, or local deletions of albums, before the albums are read from the server.
struct AlbumPushStep: SingleItemStep {
    static let edits = AlbumPushStep(name: "album edits") { try $0.pendingAlbums() }
    static let deletions = AlbumPushStep(name: "album deletions") { try $0.pendingAlbumDeletions() }

    private let name: String
    private let pending: @Sendable (CatalogueStore) throws -> [PendingAlbum]

    func identity(of item: PartnerID) -> String { name }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [PartnerID] {
        let environment = context.environment
        // A described source can't be written to. Albums of its mirror stay local.
        guard environment.described == nil else { return [item] }
        for album in try pending(environment.store) {
            let push = AlbumPush(environment: environment, album: album)
            do {
                try await environment.sender.push(push.operations, questions: push.questions) {
                    try await push.run { context.report($0, item: album.id) }
                }
            } catch let error where error is CancellationError || error is SyncError {
                throw error
            } catch let error as StoreError {
                throw SyncError(error)
            } catch {
                context.report(error, item: album.id)
            }
        }
        return [item]
    }

    /// The writes, without the reads before them.
    func operations(performing item: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        guard context.environment.described == nil else { return [] }
        let albums = (try? pending(context.environment.store)) ?? []
        return albums.flatMap { AlbumPush(environment: context.environment, album: $0).operations }
    }
}

/// What a failed write of an album means.
enum PushVerdict: Sendable, Hashable {
    /// The album or artwork doesn't exist (any more).
    case gone
    /// The server has another version than the one that the write request contains.
    case outdated
    /// The server refuses the write, and would refuse it again.
    case refused
    /// The server did not perform the write, but may do so later.
    case temporary
    /// The server may or may not have performed the write.
    case unanswered

    init(_ error: HTTPError) { self.init(status: error.status, mayHaveArrived: error.code != .unreachable) }

    init(status: Int?, mayHaveArrived: Bool) {
        self =
            switch status {
            case nil: mayHaveArrived ? .unanswered : .temporary
            case 404, 410: .gone
            case 412: .outdated
            case 401, 408, 423, 425, 429: .temporary
            case .some(400..<500), 501, 505: .refused
            default: .unanswered
            }
    }
}
