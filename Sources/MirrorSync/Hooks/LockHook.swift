import Catalogue
import MirrorStore

/// One run per mirror at a time; the database is open as long as the lock is held, and longer where it is lent (``SharedConnections``).
struct LockHook: SyncHook {
    let name = "lock"

    func before(_ context: HookContext) async throws {
        try context.folder.prepare()
        context.noteFresh(!context.folder.exists)
        let lock = try context.takeLock(context.folder)
        let lent = context.lent?.store.lent()
        context.hold(
            lock, try lent ?? CatalogueStore.open(at: context.folder.database, now: context.now))
    }

    /// A first run that brought nothing leaves no empty mirror behind.
    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        defer { context.letGo() }
        let isEmpty = Result {
            try context.isFresh && context.lent == nil && context.store.storedSingle(.partner) == nil
        }
        try context.closeStore()
        if try isEmpty.get() { try context.folder.removeEmpty() }
    }
}
