import MirrorSync
import Synchronization

/// Coordinates a paused sync with the history that it is a part of.
///
/// The sync runs in a task of its own. The history waits until the sync is idle; the sync then does nothing until it is
/// resumed or cancelled. So only one of the two is active at a time, and the same seed gives the same history.
final class PausedRun: Sendable {
    let monitor = SyncMonitor()
    private let pauses: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let hasEnded = Atomic(false)

    init() { (pauses, signal) = AsyncStream.makeStream(of: Void.self) }

    /// Pauses the run; called from within it.
    func pause() {
        monitor.pause()
        signal.yield()
    }

    /// Called when the run has ended.
    func end() {
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        signal.finish()
    }

    /// Waits until nothing of the run is in progress.
    ///
    /// - Returns: `false` if the run has ended instead, because it was paused too late or never.
    func waitUntilIdle() async -> Bool {
        for await _ in pauses { break }
        // Polling: work in progress ends within a moment, sooner than an observer could be set up.
        while !monitor.isAtRest {
            if hasEnded.load(ordering: .sequentiallyConsistent) { return false }
            await Task.yield()
        }
        return true
    }

    /// Gives a run that isn't idle, although it should be, the time to continue.
    static func yieldToOtherTasks() async { for _ in 0..<20 { await Task.yield() } }
}
