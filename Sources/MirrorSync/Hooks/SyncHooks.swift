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
/// | an app's own (``Sync/hooks``) | in their order | in the opposite order |
///
/// So what a person's command sees is finished, and the log knows of what failed in it. The guard and the sweep are the
/// Deleter's, and no hooks. A hook that fails before the tree ends the run; one that fails after it is reported and undoes
/// nothing.
package enum SyncHooks {
    /// Runs `work` between the hooks.
    ///
    /// - Returns: how the work ended, or failed.
    /// - Throws: what a hook threw before the work; those that had begun are ended then.
    static func around(
        _ context: HookContext, _ hooks: [SyncHook] = standard, report: (Problem) -> Void = { _ in },
        work: () async throws -> SyncSummary
    ) async throws -> SyncSummary {
        var begun: [SyncHook] = []
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
        var summary: SyncSummary
        do { summary = try await work() } catch {
            summary = SyncSummary(partner: context.partner, failure: error)
        }
        summary.seconds = context.now().timeIntervalSince(began)
        let ended = await end(begun, context, summary)
        for problem in ended.problems.dropFirst(summary.problems.count) { report(problem) }
        return ended
    }

    /// - Returns: the summary with what failed in the hooks, and with the time that they took; not that of a person's command.
    private static func end(
        _ hooks: [SyncHook], _ context: HookContext, _ summary: SyncSummary
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

/// Something that is done before a run's tree, after it, or both.
///
/// The hooks that an app gives to a ``Sync`` come after the standard ones before the tree, in their order: the run is locked,
/// logged, and the database is open. After the tree they come before the standard ones, in the opposite order: what they write
/// is in the search index, and what fails in them is in the log.
///
/// What `before` throws ends the run, which has failed then; hooks that had begun are ended. `after` is called however the run
/// ended, and what it throws is reported as a problem of the summary, undoes nothing, and doesn't change the outcome.
public struct SyncHook: Sendable {
    /// Named in the problem that is reported if it fails.
    public let name: String
    /// Whether the time that it takes is the run's.
    var belongsToRun = true
    var before: @Sendable (HookContext) async throws -> Void = { _ in }
    var after: @Sendable (HookContext, SyncSummary) async throws -> Void = { _, _ in }

    /// - Parameters:
    ///   - before: called once before the tree.
    ///   - after: called once after it, with the summary of the run so far.
    public init(
        _ name: String, before: @escaping @Sendable (HookContext) async throws -> Void = { _ in },
        after: @escaping @Sendable (HookContext, SyncSummary) async throws -> Void = { _, _ in }
    ) {
        self.init(name: name, before: before, after: after)
    }

    init(
        name: String, belongsToRun: Bool = true,
        before: @escaping @Sendable (HookContext) async throws -> Void = { _ in },
        after: @escaping @Sendable (HookContext, SyncSummary) async throws -> Void = { _, _ in }
    ) {
        (self.name, self.belongsToRun, self.before, self.after) = (name, belongsToRun, before, after)
    }
}

/// What the hooks of one run share.
public struct HookContext: Sendable {
    /// The command of a watch's look at some lists.
    static let refresh = "refresh"

    /// Such as `sync`; `refresh` for a watch's look at some lists.
    public let command: String
    /// The partner's slug, as given.
    public let partner: String
    /// The mirror's folder; ``MirrorStore/MirrorFolder/appFiles`` is for an app's files.
    public let folder: MirrorFolder
    var onChange: OnChangeCommand?
    var keepAwake: KeepAwake?
    var freeSpace = FreeSpace.system
    var lent: SharedConnections?
    var now: @Sendable () -> Date = { Date() }
    /// Takes the run lock; a watch has one for all that it does.
    var takeLock: @Sendable (MirrorFolder) throws -> RunHold = { try RunLock($0) }
    /// Throws if the run must not begin.
    var admit: @Sendable (CatalogueStore) throws -> Void = { _ in }
    let state = HookState()

    /// The mirror's database; open from before an app's first hook to after its last.
    ///
    /// - Throws: ``StoreError`` outside of a run.
    public var store: CatalogueStore {
        get throws {
            if let store = state.values.withLock({ $0.store }) { return store }
            throw StoreError(.unexpected, "The mirror's database was used before it was opened.")
        }
    }

    /// The run's number in the log.
    public var run: Int64 { state.values.withLock { $0.run } }
}

/// What the hooks of one run make.
final class HookState: Sendable {
    struct Values: Sendable {
        var lock: RunHold?
        var store: CatalogueStore?
        /// The run's number in the log.
        var run: Int64 = 0
        /// Whether there was no mirror before this run.
        var isFresh = false
        /// Lets the machine go to sleep again.
        var release: KeepAwake.Release?
    }

    let values = Mutex(Values())
}
