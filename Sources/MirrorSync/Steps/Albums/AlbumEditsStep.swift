import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Pushes what was edited in albums here, before the albums are read from the server.
package struct AlbumEditsStep: Step {
    package typealias Environment = SyncEnvironment

    package init() {}

    package func identity(of item: PartnerID) -> String { "album edits" }

    package func expand(_ input: PartnerID, in context: StepContext<SyncEnvironment>) async throws
        -> Expansion<PartnerID>
    {
        .one(input)
    }

    package func perform(_ item: PartnerID, in context: StepContext<SyncEnvironment>) async throws
        -> [PartnerID]
    {
        let environment = context.environment
        for album in try environment.store.pendingAlbums() {
            let push = AlbumPush(environment, album: album)
            try await environment.sender.push(push.operations, questions: push.questions) {
                try await push.run { context.report($0, item: album.id) }
            }
        }
        return [item]
    }

    /// The writes; what is requested before them is left out.
    package func operations(performing item: PartnerID, in context: StepContext<SyncEnvironment>)
        -> [WriteOperation]
    {
        let albums = (try? context.environment.store.pendingAlbums()) ?? []
        return albums.flatMap { AlbumPush(context.environment, album: $0).operations }
    }
}

/// Pushes the deletions of albums that were deleted here.
package struct AlbumDeletionsStep: Step {
    package typealias Environment = SyncEnvironment

    package init() {}

    package func identity(of item: PartnerID) -> String { "album deletions" }

    package func expand(_ input: PartnerID, in context: StepContext<SyncEnvironment>) async throws
        -> Expansion<PartnerID>
    {
        .one(input)
    }

    package func perform(_ item: PartnerID, in context: StepContext<SyncEnvironment>) async throws
        -> [PartnerID]
    {
        let environment = context.environment
        for album in try environment.store.pendingAlbumDeletions() {
            let deletion = AlbumDeletion(environment, album: album)
            do {
                try await environment.sender.push([deletion.operation], questions: 1) {
                    try await deletion.perform()
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

    /// The writes; what is requested before them is left out.
    package func operations(performing item: PartnerID, in context: StepContext<SyncEnvironment>)
        -> [WriteOperation]
    {
        let albums = (try? context.environment.store.pendingAlbumDeletions()) ?? []
        return albums.map { AlbumDeletion(context.environment, album: $0).operation }
    }
}
