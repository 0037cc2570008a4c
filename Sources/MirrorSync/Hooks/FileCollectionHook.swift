import MirrorStore

/// Removes files that nothing has referred to for 30 days, and damaged copies that were replaced; under the lock, after the
/// commit.
///
/// Not after a watch's refresh: it shares the lock with what fetches pictures meanwhile, which may just have put such a file
/// in its place again and not have said so yet. The watch's daily sync is alone.
struct FileCollectionHook: SyncHook {
    let name = "files"

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        guard context.command != HookContext.refresh, summary.outcome != .failed,
            summary.outcome != .cancelled
        else { return }
        try context.store.settleDamaged(in: context.folder.files)
        try context.store.collectFiles(in: context.folder.files)
    }
}
