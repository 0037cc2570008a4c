import GRDB
import MirrorStore
import MirrorSync
import Synchronization

/// Syncs that are paused while they run.
extension HistoryRunner {
    /// The real time after which a paused run counts as stuck. No run takes nearly as long.
    private static let stuckAfter: Duration = .seconds(120)

    /// Runs a sync that is paused while it runs.
    ///
    /// - Throws: the errors of the sync.
    func sync(
        pausing pause: RunPause, inOpenFiles: Bool,
        _ change: @escaping @Sendable (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        let pausedRun = PausedRun(), mirror = mirror, transcript = transcript
        partner.with { state in
            state.concurrentActions[state.requests + pause.request, default: []].append {
                transcript.note("local: the sync is paused")
                pausedRun.pause()
            }
        }
        let work = Task {
            defer { pausedRun.end() }
            return try await mirror.sync(inOpenFiles: inOpenFiles, monitor: pausedRun.monitor, change)
        }
        // A run that is never resumed must not block the history.
        let isStuck = Mutex(false)
        let watchdog = Task {
            try await Task.sleep(for: HistoryRunner.stuckAfter)
            isStuck.withLock { $0 = true }
            work.cancel()
        }
        defer { watchdog.cancel() }
        var seen: [Violation] = []
        let isAtRest = await pausedRun.waitUntilIdle()
        if isAtRest {
            seen = await playWhilePaused(pause, pausedRun)
            end(pause.end, pausedRun, work)
        }
        let result = await work.result
        // The run has ended, whether or not it waited as it should: from now on only this task uses the runner.
        record(seen)
        if isAtRest { count("a pause, \(pause.end.name)") }
        if isStuck.withLock({ $0 }) {
            record([
                Violation(
                    .historyCompletes,
                    "A sync that was paused did not continue within \(HistoryRunner.stuckAfter).")
            ])
        }
        let summary = try result.get()
        if isAtRest, pause.end == .cancelled, !disk.hasCrashed { try checkCancelled(summary) }
        return summary
    }

    /// Performs the actions that happen during the pause.
    ///
    /// - Returns: violations that were found during the pause.
    private func playWhilePaused(_ pause: RunPause, _ pausedRun: PausedRun) async -> [Violation] {
        let before = partner.with { $0.requests }
        liveInvariants.check()
        for action in pause.concurrentActions {
            perform(action)
            liveInvariants.check()
        }
        injectedBug?.whilePaused?(pausedRun.monitor)
        await PausedRun.yieldToOtherTasks()
        liveInvariants.check()
        let requests = partner.with { $0.requests } - before
        return PauseCheck(requests: requests, isAtRest: pausedRun.monitor.isAtRest).violations()
    }

    private func end(
        _ end: RunPause.End, _ pausedRun: PausedRun, _ work: Task<SyncSummary, any Error>
    ) {
        switch end {
        case .resumed:
            transcript.note("local: the sync goes on")
            pausedRun.monitor.resume()
        case .cancelled:
            transcript.note("local: the sync is cancelled")
            work.cancel()
        case .killed:
            transcript.note("local: the process dies while the sync is paused")
            // The crashed process stores nothing any more; how its task ends doesn't matter.
            disk.crash()
            work.cancel()
        }
    }

    /// Checks a sync that was cancelled while it was paused.
    private func checkCancelled(_ summary: SyncSummary) throws {
        let logged = try mirror.access { store in
            try store.read { db in
                try String.fetchOne(
                    db.cachedStatement(
                        sql: "SELECT outcome FROM sync_log WHERE run = (SELECT max(run) FROM sync_log)"))
            }
        }
        record(
            PauseCheck.violations(
                afterCancelling: summary.outcome, logged: logged,
                isUnlocked: (try? RunLock(mirror.folder)) != nil))
    }

    /// The number of requests that were sent until now.
    var requests: Int { partner.with { $0.requests } }
}
