import MirrorHTTP
import MirrorStore
import OperationTree
import PartnerAPI

/// Pushes albums that were made or changed here; puts out the partner once, whatever failed.
///
/// A push is idempotent: a new album carries a key that was stored before sending; where a server doesn't honour it, an
/// answer that never came is looked for in the server's list and adopted.
package struct AlbumEditsStep: Step {
    package init() {}

    package func identity(of item: PartnerScope) -> String { "album edits" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        .one(input)
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [PartnerScope] {
        if let plan = item.environment.plan {
            let pushes = operations(performing: item).count
            plan.willSend(pushes, pushes: pushes)
            return [item]
        }
        for album in try item.environment.store.pendingAlbums() {
            do {
                try await AlbumPush(scope: item, album: album).run()
            } catch let error as CancellationError {
                throw error
            } catch let error as SyncError {
                throw error
            } catch {
                context.report(error, item: album.id)
            }
        }
        return [item]
    }

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
            plan.willSend(pushes, pushes: pushes)
            return [item]
        }
        for id in try environment.store.pendingAlbumDeletions() {
            do {
                _ = try await environment.send(WriteOperation(item.router.deleteAlbum(id)))
                try environment.store.acknowledgeAlbumDeletion(id, run: environment.run)
            } catch let error as HTTPError where error.status == 404 {
                try environment.store.acknowledgeAlbumDeletion(id, run: environment.run)
            } catch let error as HTTPError {
                context.report(error, item: id)
            }
        }
        return [item]
    }

    package func operations(performing item: PartnerScope) -> [WriteOperation] {
        let ids = (try? item.environment.store.pendingAlbumDeletions()) ?? []
        return ids.map { WriteOperation(item.router.deleteAlbum($0)) }
    }
}
