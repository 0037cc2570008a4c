import MirrorStore

/// Removes files that nothing has referred to for 30 days; under the lock, after the commit.
struct FileCollectionHook: SyncHook {
    let name = "files"

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        guard summary.outcome != .failed, summary.outcome != .cancelled else { return }
        try context.store.collectFiles(in: context.folder.files)
    }
}
