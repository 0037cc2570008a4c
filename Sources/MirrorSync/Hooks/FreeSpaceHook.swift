/// Refuses to begin on a disk that is all but full. Whether what is to come fits is asked when that is known.
struct FreeSpaceHook: SyncHook {
    let name = "free space"

    func before(_ context: HookContext) async throws {
        try context.freeSpace.checkLeast(at: context.folder.path)
    }
}
