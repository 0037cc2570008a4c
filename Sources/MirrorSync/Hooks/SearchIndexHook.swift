import MirrorStore

/// Brings the search index up to date with what changed.
struct SearchIndexHook: SyncHook {
    let name = "search index"

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        try context.store.updateSearchIndex()
    }
}
