import Foundation
import MirrorStore
import Synchronization

/// Runs the hooks of a run: before the tree from first to last, after it from last to first.
///
/// | hook | before the tree | after it |
/// |---|---|---|
/// | lock | takes the run lock, opens the database | closes the database, releases the lock |
/// | admission | refuses a run that must not begin, such as one from another server; no run is logged then | |
/// | log | opens the run's row; closes the row of a killed run | closes the row, with every problem; trims old entries |
/// | on-change | | runs the command of `--on-change`, if anything changed |
/// | files | | removes files that no row has referred to for 30 days; reads the sizes of older pictures |
/// | search index | | updates it |
/// | keep awake | prevents the machine from going to sleep | allows it again |
/// | free space | refuses a disk that is almost full | |
/// | an app's own (``Sync/hooks``) | in their order | in the opposite order |
///
/// So the command of `--on-change` finds finished data, and its failure is in the log. The delete guard and the sweep are no
/// hooks; they belong to the Deleter. A hook that fails before the tree ends the run. A hook that fails after it is reported,
/// and nothing is undone.
package enum SyncHooks {
    /// Runs `work` between the hooks.
    ///
    /// - Returns: the summary of the work, also if it failed.
    /// - Throws: the error that a hook threw before the work. The hooks that ran before it are ended first.
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

    /// - Returns: the summary, with the hooks' failures and durations added. The command of `--on-change` doesn't count towards
    ///   the duration.
    private static func end(
        _ hooks: [SyncHook], _ context: HookContext, _ summary: SyncSummary
    ) async -> SyncSummary {
        var summary = summary
        for hook in hooks.reversed() {
            let began = context.now()
            do {
                try await hook.after(context, summary)
            } catch {
                // The log hook ends later, so it logs this problem, too.
                summary.problems.append(
                    Problem(what: "hook", kind: nil, id: hook.name, message: "\(error)"))
            }
            if hook.belongsToRun { summary.seconds += context.now().timeIntervalSince(began) }
        }
        return summary
    }
}

/// An action before a run's tree, after it, or both.
///
/// An app's hooks run inside the standard ones:
/// - Before the tree they run after the standard hooks, in their order. The run is locked and logged, and the database is open.
/// - After the tree they run before the standard hooks, in the opposite order. Their writes get into the search index, and
///   their failures into the log.
///
/// If `before` throws, the run fails, and the hooks that ran before it are ended. `after` is called however the run ended. An
/// error that it throws is reported as a problem in the summary; it undoes nothing, and doesn't change the outcome.
public struct SyncHook: Sendable {
    /// The hook's name, which is reported if it fails.
    public let name: String
    /// Whether its duration counts towards the run's.
    var belongsToRun = true
    var before: @Sendable (HookContext) async throws -> Void = { _ in }
    var after: @Sendable (HookContext, SyncSummary) async throws -> Void = { _, _ in }

    /// - Parameters:
    ///   - name: reported if the hook fails.
    ///   - before: called once before the tree.
    ///   - after: called once after the tree, with the run's summary so far.
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

/// The values that the hooks of one run share.
public struct HookContext: Sendable {
    /// The command's name when a watch requests the lists of some kinds again.
    static let refresh = "refresh"

    /// The command's name, such as `sync`; `refresh` when a watch requests the lists of some kinds again.
    public let command: String
    /// The partner's slug.
    public let partner: String
    /// The mirror's folder; ``MirrorStore/MirrorFolder/appFiles`` is for an app's files.
    public let folder: MirrorFolder
    var onChange: OnChangeCommand?
    var keepAwake: KeepAwake?
    var freeSpace = FreeSpace.system
    var sharedConnections: SharedConnections?
    var now: @Sendable () -> Date = { Date() }
    /// Takes the run lock. A watch has one that all its parts share.
    var takeLock: @Sendable (MirrorFolder) throws -> RunHold = { try RunLock($0) }
    /// Throws if the run must not begin.
    var admit: @Sendable (CatalogueStore) throws -> Void = { _ in }
    let state = HookState()

    /// The mirror's database. It is open while an app's hooks and the tree run.
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

/// The state that the hooks of one run set.
final class HookState: Sendable {
    struct Values: Sendable {
        var lock: RunHold?
        var store: CatalogueStore?
        /// The run's number in the log.
        var run: Int64 = 0
        /// Whether there was no mirror before this run.
        var isFresh = false
        /// Allows the machine to sleep again.
        var release: KeepAwake.Release?
    }

    let values = Mutex(Values())
}
