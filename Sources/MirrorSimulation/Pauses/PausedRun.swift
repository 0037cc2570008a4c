import MirrorSync
import Synchronization

/// A sync that is paused on its way, from both sides: of what happens in it, and of those who wait for it to be at rest.
///
/// The sync runs in a task of its own. Nobody else touches the history until it is at rest, and it touches nothing from then
/// until it is resumed or cancelled: so the same seed makes the same history.
final class PausedRun: Sendable {
    let monitor = SyncMonitor()
    private let pauses: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let hasEnded = Atomic(false)

    init() { (pauses, signal) = AsyncStream.makeStream(of: Void.self) }

    /// From within the run.
    func pause() {
        monitor.pause()
        signal.yield()
    }

    /// When the run has ended.
    func end() {
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        signal.finish()
    }

    /// Returns when nothing of the run is under way any more.
    ///
    /// - Returns: `false` if it has ended instead: paused too late, or never.
    func waitUntilIdle() async -> Bool {
        for await _ in pauses { break }
        // What is under way takes a moment: less than to set up somebody who is told.
        while !monitor.isAtRest {
            if hasEnded.load(ordering: .sequentiallyConsistent) { return false }
            await Task.yield()
        }
        return true
    }

    /// Lets a run that isn't at rest, though it should be, get on.
    static func yieldToOtherTasks() async { for _ in 0..<20 { await Task.yield() } }
}
