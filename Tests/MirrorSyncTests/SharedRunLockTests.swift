import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite struct SharedRunLockTests {
    private let home: TemporaryHome
    private let folder: MirrorFolder

    init() throws {
        home = try TemporaryHome()
        folder = try home.mirror("p")
    }

    @Test func aSharedRunLockIsHeldUntilItsLastHolderReleasesIt() throws {
        try folder.prepare()
        defer {
            try? FileManager.default.removeItem(atPath: (folder.path as NSString).deletingLastPathComponent)
        }
        let shared = SharedRunLock()
        var first: RunHold? = try shared.take(folder)
        var second: RunHold? = try shared.take(folder)
        withExtendedLifetime(first) {}
        first = nil
        #expect(throws: StoreError.self) { _ = try RunLock(folder) }
        withExtendedLifetime(second) {}
        second = nil
        #expect(throws: Never.self) { _ = try RunLock(folder) }
    }

    /// One task takes the lock while another releases it.
    @Test func aSharedRunLockIsNeverBusyWithinItsProcess() async throws {
        try folder.prepare()
        defer {
            try? FileManager.default.removeItem(atPath: (folder.path as NSString).deletingLastPathComponent)
        }
        let shared = SharedRunLock(), folder = folder
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 {
                        #expect(throws: Never.self) { _ = try shared.take(folder) }
                    }
                }
            }
        }
    }
}
