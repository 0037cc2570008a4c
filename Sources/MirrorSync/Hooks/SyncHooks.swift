import Foundation
import MirrorStore
import Synchronization

/// What happens around a run, in one order: before the tree from first to last, after it from last to first.
///
/// | hook | before the tree | after it |
/// |---|---|---|
/// | lock | takes the run lock, opens the database | closes it, lets go |
/// | admission | refuses a run that must not begin, such as one from another server; no run is logged then | |
/// | log | opens the run's row; closes what a killed run left open | closes it, with every problem; trims old entries |
/// | on-change | | runs the person's command, if anything changed |
/// | files | | removes what nothing has referred to for 30 days |
/// | search index | | brings it up to date |
/// | keep awake | the machine doesn't go to sleep | it may again |
/// | free space | refuses a disk that is all but full | |
///
/// So what a person's command sees is finished, and the log knows of what failed in it. The guard and the sweep are the Deleter's, and no hooks. A hook that fails before the tree ends the run; one that fails
/// after it is reported and undoes nothing.
package enum SyncHooks {
    package static let standard: [any SyncHook] = [
        LockHook(), AdmissionHook(), RunLogHook(), OnChangeHook(), FileCollectionHook(), SearchIndexHook(),
        KeepAwakeHook(),
        FreeSpaceHook(),
    ]

    /// Runs `work` between the hooks.
    ///
    /// - Throws: what a hook threw before the work; those that had begun are ended then.
    static func around(
        _ context: HookContext, _ hooks: [any SyncHook] = standard, report: (Problem) -> Void = { _ in },
        work: () async -> SyncSummary
    ) async throws -> SyncSummary {
        var begun: [any SyncHook] = []
        do {
            for hook in hooks {
                try await hook.before(context)
                begun.append(hook)
            }
        } catch {
            _ = await end(begun, context, SyncSummary(partner: context.partner, failure: error))
            throw error
        }
        let began = context.now()
        var summary = await work()
        summary.seconds = context.now().timeIntervalSince(began)
        let ended = await end(begun, context, summary)
        for problem in ended.problems.dropFirst(summary.problems.count) { report(problem) }
        return ended
    }

    /// - Returns: the summary with what failed in the hooks, and with the time that they took; not that of a person's command.
    private static func end(
        _ hooks: [any SyncHook], _ context: HookContext, _ summary: SyncSummary
    ) async -> SyncSummary {
        var summary = summary
        for hook in hooks.reversed() {
            let began = context.now()
            do {
                try await hook.after(context, summary)
            } catch {
                // The log, which comes later, has it too.
                summary.problems.append(
                    Problem(what: "hook", kind: nil, id: hook.name, message: "\(error)"))
            }
            if hook.belongsToRun { summary.seconds += context.now().timeIntervalSince(began) }
        }
        return summary
    }
}

package protocol SyncHook: Sendable {
    var name: String { get }
    /// Whether the time that it takes is the run's.
    var belongsToRun: Bool { get }
    func before(_ context: HookContext) async throws
    func after(_ context: HookContext, _ summary: SyncSummary) async throws
}

extension SyncHook {
    package var belongsToRun: Bool { true }
    package func before(_ context: HookContext) async throws {}
    package func after(_ context: HookContext, _ summary: SyncSummary) async throws {}
}

/// What the hooks of one run share.
package final class HookContext: Sendable {
    /// The command of a watch's look at some lists.
    static let refresh = "refresh"

    package let command: String
    package let partner: String
    package let folder: MirrorFolder
    package let onChange: OnChangeCommand?
    package let keepAwake: KeepAwake?
    package let freeSpace: FreeSpace
    let lent: SharedConnections?
    package let now: @Sendable () -> Date
    /// Takes the run lock; a watch has one for all that it does.
    let takeLock: @Sendable (MirrorFolder) throws -> RunHold
    /// Throws if the run must not begin.
    let admit: @Sendable (CatalogueStore) throws -> Void

    private struct State: Sendable {
        var lock: RunHold?
        var store: CatalogueStore?
        var run: Int64 = 0
        var isFresh = false
        var release: KeepAwake.Release?
    }

    private let state = Mutex(State())
    private let aside = DispatchGroup()

    package init(
        command: String, partner: String, folder: MirrorFolder, onChange: OnChangeCommand? = nil,
        keepAwake: KeepAwake? = nil, freeSpace: FreeSpace = .system, lent: SharedConnections? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        takeLock: @escaping @Sendable (MirrorFolder) throws -> RunHold = { try RunLock($0) },
        admit: @escaping @Sendable (CatalogueStore) throws -> Void = { _ in }
    ) {
        self.takeLock = takeLock
        self.admit = admit
        self.command = command
        self.partner = partner
        self.folder = folder
        self.onChange = onChange
        self.keepAwake = keepAwake
        self.freeSpace = freeSpace
        self.lent = lent
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

    func hold(_ lock: RunHold, _ store: CatalogueStore) {
        state.withLock { state in
            state.lock = lock
            state.store = store
        }
    }

    /// Whether there was no mirror before this run.
    var isFresh: Bool { state.withLock { $0.isFresh } }
    func noteFresh(_ isFresh: Bool) { state.withLock { $0.isFresh = isFresh } }

    func begin(_ run: Int64) { state.withLock { $0.run = run } }

    /// Closes the database, and waits for what is done aside; the lock is still held.
    func closeStore() throws {
        defer { aside.wait() }
        let store = state.withLock { state in
            defer { state.store = nil }
            return state.store
        }
        try store?.close()
    }

    /// Does something beside what is left to do; the lock is held until it is done.
    func doAside(_ work: @escaping @Sendable () -> Void) {
        aside.enter()
        // On a thread of its own, as one of Swift's few waits for it.
        Thread.detachNewThread { [aside] in
            work()
            aside.leave()
        }
    }

    func waitForAside() { aside.wait() }

    func note(release: KeepAwake.Release?) { state.withLock { $0.release = release } }

    func takeRelease() -> KeepAwake.Release? {
        state.withLock { state in
            defer { state.release = nil }
            return state.release
        }
    }

    func letGo() { state.withLock { $0.lock = nil } }
}
