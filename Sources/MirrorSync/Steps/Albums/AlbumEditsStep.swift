import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Pushes albums that were made or changed here; puts out the partner once, whatever failed.
///
/// A push is idempotent: a new album carries a key that was stored before sending; where a server doesn't honour it, an
/// answer that never came is looked for in the server's list and adopted. What the server changed meanwhile is weighed
/// first (``AlbumConflict``).
package struct AlbumEditsStep: Step {
    package init() {}

    package func identity(of item: PartnerScope) -> String { "album edits" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        .one(input)
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [PartnerScope] {
        let pushes = try item.environment.store.pendingAlbums().map { AlbumPush(scope: item, album: $0) }
        if let plan = item.environment.plan {
            let writes = pushes.reduce(0) { $0 + $1.operations.count }
            plan.willSend(writes + pushes.reduce(0) { $0 + $1.questions }, pushes: writes)
            return [item]
        }
        for push in pushes {
            try await push.run { context.report($0, item: push.album.id) }
        }
        return [item]
    }

    /// The writes; what is asked before them is left out.
    package func operations(performing item: PartnerScope) -> [WriteOperation] {
        let albums = (try? item.environment.store.pendingAlbums()) ?? []
        return albums.flatMap { AlbumPush(scope: item, album: $0).operations }
    }
}

/// Deletes on the server what was deleted here; puts out the partner once, whatever failed.
package struct AlbumDeletionsStep: Step {
    package init() {}

    package func identity(of item: PartnerScope) -> String { "album deletions" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        .one(input)
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [PartnerScope] {
        let environment = item.environment
        if let plan = environment.plan {
            let pushes = operations(performing: item).count
            plan.willSend(pushes * 2, pushes: pushes)
            return [item]
        }
        for album in try environment.store.pendingAlbumDeletions() {
            do {
                try await AlbumDeletion(scope: item, album: album).perform()
            } catch let error as CancellationError {
                throw error
            } catch let error as SyncError {
                throw error
            } catch let error as StoreError {
                throw SyncError(error)
            } catch {
                context.report(error, item: album.id)
            }
        }
        return [item]
    }

    /// The writes; what is asked before them is left out.
    package func operations(performing item: PartnerScope) -> [WriteOperation] {
        let albums = (try? item.environment.store.pendingAlbumDeletions()) ?? []
        return albums.map { AlbumDeletion(scope: item, album: $0).operation }
    }
}
