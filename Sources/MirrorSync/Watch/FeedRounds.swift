import MirrorStore
import PeriodicLoops
import Synchronization

/// The loops of a watch under a simulation's control: nothing is asked but in a round, and no time is waited for.
///
/// The scheduler, the loops and what they work with are those of a ``Watch``; only its clock doesn't tick.
package final class FeedRounds: Sendable {
    private let setting: WatchSetting
    private let follower = Mutex<Follower?>(nil)
    private let end = Mutex<(any Error)?>(nil)
    /// Whether it was reported that the first sync waits for the end of a pause.
    private let isWaiting = Mutex(false)

    /// - Parameters:
    ///   - sync: the first sync; the others and the loops work with the same.
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

    /// Why the watch would have ended, if it would.
    package var failure: (any Error)? { end.withLock { $0 } }

    package var isFollowing: Bool { follower.withLock { $0 } != nil }

    /// Whether the next round asks the feed, unless a person has the watch paused.
    package var asksFeed: Bool {
        guard let follower = follower.withLock({ $0 }) else { return false }
        return follower.way == .events && follower.scheduler.enabledLoops.contains(LoopRecord.coreID)
    }

    /// The first sync of a watch and, if it went well, the first round of all loops; neither while a person has it paused.
    ///
    /// - Returns: how the sync ended; whether there are loops now says ``isFollowing``. `nil` while it is paused: a watch tries
    ///   it again within its interval.
    package func begin() async -> SyncSummary? {
        guard !mustWait() else { return nil }
        let first = await setting.run(.first)
        guard case .goesOn = WatchVerdict(first, isKnown: true) else { return first }
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

    /// As a watch does before its first sync. Where that can't be read, the sync can't begin either, and reports why.
    private func mustWait() -> Bool {
        let since = try? setting.folder.pausedAt()
        let wasWaiting = isWaiting.withLock { isWaiting in
            defer { isWaiting = since != nil }
            return isWaiting
        }
        if let since, !wasWaiting { setting.observer.handler(.paused(since: since)) }
        if since == nil, wasWaiting { setting.observer.handler(.resumed) }
        return since != nil
    }

    /// All loops once, with what more they have, whatever their back-off says; then what follows stored pages. While a person
    /// has the watch paused, the loops are triggered all the same, and wait.
    package func round() async throws {
        guard let follower = follower.withLock({ $0 }) else { return }
        let isPaused = try await checkPause(follower)
        if !isPaused {
            follower.switchShows()
            follower.bringBackCore()
        }
        follower.scheduler.triggerAll()
        await follower.scheduler.settled()
        guard !isPaused else { return }
        // What is still to be done after so many turns is left to the next round.
        for _ in 0..<20 {
            guard try await follower.context.followUp() else { break }
        }
    }

    /// Checks whether a person has the watch paused, as it does at its interval.
    ///
    /// - Returns: whether that is so; if not, what the end of a pause set going has ended.
    private func checkPause(_ follower: Follower) async throws -> Bool {
        try follower.checkPause()
        await follower.scheduler.settled()
        return follower.isPaused
    }

    /// A whole sync, as a watch runs one a day; none while a person has it paused.
    package func sync() async throws {
        guard let follower = follower.withLock({ $0 }), try await !checkPause(follower) else { return }
        do {
            try await follower.sync(.daily)
        } catch {
            // The loops have gone on behind it, however it ended.
            await follower.scheduler.settled()
            throw error
        }
        await follower.scheduler.settled()
    }

    /// Nothing runs any more when it returns, and the database is closed unless it is lent.
    package func stop() async {
        await follower.withLock { $0.take() }?.stop()
    }
}
