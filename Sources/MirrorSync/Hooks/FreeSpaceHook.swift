import Foundation
import MirrorStore

/// Refuses to begin on a disk that is all but full: a database needs room even to shrink.
struct FreeSpaceHook: SyncHook {
    let name = "free space"
    /// 16 MiB: enough for the write-ahead log of a transaction and some pictures.
    static let least: Int64 = 16 << 20

    func before(_ context: HookContext) async throws {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: context.folder.path)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return }
        guard free >= Self.least else {
            throw StoreError(
                .diskFull,
                "The disk that holds \(context.folder.path) has only \(free >> 20) MiB left. Free some space and run the command again."
            )
        }
    }
}
