import MirrorStore

/// One run per mirror at a time; the database is open as long as the lock is held.
struct LockHook: SyncHook {
    let name = "lock"

    func before(_ context: HookContext) async throws {
        try context.folder.prepare()
        let lock = try RunLock(context.folder)
        context.hold(lock, try CatalogueStore.open(at: context.folder.database, now: context.now))
    }

    func after(_ context: HookContext, _ summary: SyncSummary) async throws { try context.close() }
}
