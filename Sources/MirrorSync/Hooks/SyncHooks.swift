import Foundation
import MirrorStore
import Synchronization

/// What happens around a run, in one order: before the tree from first to last, after it from last to first.
///
/// The guard and the sweep are the Deleter's, and no hooks. A hook that fails before the tree ends the run; one that fails
/// after it is reported and undoes nothing.
package enum SyncHooks {
    package static let standard: [any SyncHook] = [
        LockHook(), RunLogHook(), OnChangeHook(), FileCollectionHook(), SearchIndexHook(), FreeSpaceHook(),
    ]

    /// Runs `work` between the hooks.
    ///
    /// - Throws: what a hook threw before the work; those that had begun are ended then.
    static func around(
        _ context: HookContext, report: (Problem) -> Void = { _ in }, work: () async -> SyncSummary
    ) async throws -> SyncSummary {
        var begun: [any SyncHook] = []
        do {
            for hook in standard {
                try await hook.before(context)
                begun.append(hook)
            }
        } catch {
            _ = await end(begun, context, SyncSummary(partner: context.partner, failure: error))
            throw error
        }
        var summary = await work()
        for problem in await end(begun, context, summary) {
            report(problem)
            summary.problems.append(problem)
        }
        return summary
    }

    private static func end(
        _ hooks: [any SyncHook], _ context: HookContext, _ summary: SyncSummary
    ) async -> [Problem] {
        var problems: [Problem] = []
        // What a hook could not do is among the problems that those after it see: the log has it too.
        var summary = summary
        for hook in hooks.reversed() {
            do {
                try await hook.after(context, summary)
            } catch {
                let problem = Problem(
                    what: "hook", kind: nil, id: hook.name, message: SyncEnding.message(error))
                problems.append(problem)
                summary.problems.append(problem)
            }
        }
        return problems
    }
}

package protocol SyncHook: Sendable {
    var name: String { get }
    func before(_ context: HookContext) async throws
    func after(_ context: HookContext, _ summary: SyncSummary) async throws
}

extension SyncHook {
    package func before(_ context: HookContext) async throws {}
    package func after(_ context: HookContext, _ summary: SyncSummary) async throws {}
}

/// What the hooks of one run share.
package final class HookContext: Sendable {
    package let command: String
    package let partner: String
    package let folder: MirrorFolder
    package let onChange: OnChangeCommand?
    package let now: @Sendable () -> Date

    private struct State: Sendable {
        var lock: RunLock?
        var store: CatalogueStore?
        var run: Int64 = 0
        var isFresh = false
    }

    private let state = Mutex(State())

    package init(
        command: String, partner: String, folder: MirrorFolder, onChange: OnChangeCommand? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.command = command
        self.partner = partner
        self.folder = folder
        self.onChange = onChange
        self.now = now
    }

    package var storeIfOpen: CatalogueStore? { state.withLock { $0.store } }

    package var store: CatalogueStore {
        get throws {
            guard let store = storeIfOpen else {
                throw StoreError(.unexpected, "The mirror's database was used before it was opened.")
            }
            return store
        }
    }

    package var run: Int64 { state.withLock { $0.run } }

    func hold(_ lock: RunLock, _ store: CatalogueStore) {
        state.withLock { state in
            state.lock = lock
            state.store = store
        }
    }

    /// Whether there was no mirror before this run.
    var isFresh: Bool { state.withLock { $0.isFresh } }
    func noteFresh(_ isFresh: Bool) { state.withLock { $0.isFresh = isFresh } }

    func begin(_ run: Int64) { state.withLock { $0.run = run } }

    /// Closes the database; the lock is still held.
    func closeStore() throws {
        let store = state.withLock { state in
            defer { state.store = nil }
            return state.store
        }
        try store?.close()
    }

    func letGo() { state.withLock { $0.lock = nil } }
}
