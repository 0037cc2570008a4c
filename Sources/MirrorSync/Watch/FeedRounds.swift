import MirrorStore
import PeriodicLoops
import Synchronization

/// Runs the loops of a watch under a simulation's control: only calls of its methods make requests; no timer does.
///
/// It uses the scheduler and the loops of a ``Watch``. Only the clock differs: it doesn't tick by itself.
package final class FeedRounds: Sendable {
    private let setting: WatchSetting
    private let follower = Mutex<Follower?>(nil)
    private let end = Mutex<(any Error)?>(nil)
    /// Whether the observer was notified that a pause delays the first sync.
    private let isWaiting = Mutex(false)

    /// - Parameters:
    ///   - sync: the first sync. The later syncs and the loops use the same mirror and options.
    ///   - elapsed: advances only when the simulation lets time pass.
    ///   - random: numbers in `0..<1`, for back-off.
    package init(
        _ sync: Sync, elapsed: @escaping @Sendable () -> Duration,
        random: @escaping @Sendable () -> Double, observer: WatchObserver
    ) {
        setting = WatchSetting(
            firstSync: sync, interval: .seconds(30),
            clock: LoopClock(now: elapsed, sleep: { _ in try await Task.sleep(for: .seconds(86_400)) }),
            random: random, observer: observer)
    }

    /// The error that would have ended a watch; `nil` if there was none.
    package var failure: (any Error)? { end.withLock { $0 } }

    /// Whether the loops run: a first sync has ended, neither failed nor cancelled, and ``stop()`` was not called.
    package var isFollowing: Bool { follower.withLock { $0 } != nil }

    /// Whether the next round requests the feed, unless the watch is paused.
    package var requestsFeed: Bool {
        guard let follower = follower.withLock({ $0 }) else { return false }
        return follower.way == .events && follower.scheduler.enabledLoops.contains(LoopRecord.coreID)
    }

    /// Runs the first sync and, unless it fails or is cancelled, the first round of all loops. Does nothing during a pause.
    ///
    /// - Returns: how the sync ended (``isFollowing`` tells whether the loops run now); `nil` while the watch is paused. Call it
    ///   again later, to check whether the pause has ended.
    package func begin() async -> SyncSummary? {
        guard !isPausedBeforeFirstSync() else { return nil }
        let first = await setting.run(.first)
        guard case .continues = WatchVerdict(first, isKnown: true) else { return first }
        do {
            let follower = try Follower(setting, first: first) { [weak self] error in
                self?.end.withLock { $0 = $0 ?? error }
            }
            try follower.start(atIntervals: false)
            self.follower.withLock { $0 = follower }
            await follower.scheduler.settled()
        } catch {
            end.withLock { $0 = $0 ?? error }
        }
        return first
    }

    /// Whether the watch is paused, as ``Watch`` checks it before the first sync; reports changes to the observer.
    private func isPausedBeforeFirstSync() -> Bool {
        // If the state can't be read, the sync can't begin either, and reports the reason.
        let since = try? setting.folder.pausedAt()
        let wasWaiting = isWaiting.withLock { isWaiting in
            defer { isWaiting = since != nil }
            return isWaiting
        }
        if let since, !wasWaiting { setting.observer.handler(.paused(since: since)) }
        if since == nil, wasWaiting { setting.observer.handler(.resumed) }
        return since != nil
    }

    /// Runs all loops to the end of their feeds, regardless of back-off; then the follow-up work of the stored pages.
    ///
    /// While the watch is paused, the loops are triggered, but wait.
    package func round() async throws {
        guard let follower = follower.withLock({ $0 }) else { return }
        let isPaused = try await checkPause(follower)
        if !isPaused {
            follower.updateShowLoops()
            follower.reenableCore()
        }
        follower.scheduler.triggerAll()
        await follower.scheduler.settled()
        guard !isPaused else { return }
        // Follow-up work that needs more than 20 calls is left to the next round.
        for _ in 0..<20 {
            guard try await follower.context.followUp() else { break }
        }
    }

    /// Checks whether the watch is paused, as a watch does at its interval.
    ///
    /// - Returns: whether it is. If a pause has just ended, the loops that resumed because of that have finished.
    private func checkPause(_ follower: Follower) async throws -> Bool {
        try follower.checkPause()
        await follower.scheduler.settled()
        return follower.isPaused
    }

    /// Runs a sync of all kinds, as a watch does daily; does nothing while the watch is paused.
    package func sync() async throws {
        guard let follower = follower.withLock({ $0 }), try await !checkPause(follower) else { return }
        do {
            try await follower.sync(.daily)
        } catch {
            // The loops have resumed after the sync, although it failed.
            await follower.scheduler.settled()
            throw error
        }
        await follower.scheduler.settled()
    }

    /// Stops the loops. When it returns, nothing runs any more, and the database is closed unless its connections are shared.
    package func stop() async {
        await follower.withLock { $0.take() }?.stop()
    }
}
