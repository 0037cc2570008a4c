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

    /// The first sync of a watch and, if it went well, the first round of all loops.
    ///
    /// - Returns: how the sync ended; whether there are loops now says ``isFollowing``.
    package func begin() async -> SyncSummary {
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

    /// All loops once, with what more they have, whatever their back-off says; then what follows stored pages.
    package func round() async throws {
        guard let follower = follower.withLock({ $0 }) else { return }
        follower.switchShows()
        follower.bringBackCore()
        follower.scheduler.triggerAll()
        await follower.scheduler.settled()
        // What is still to be done after so many turns is left to the next round.
        for _ in 0..<20 {
            guard try await follower.context.followUp() else { break }
        }
    }

    /// A whole sync, as a watch runs one a day.
    package func sync() async throws {
        guard let follower = follower.withLock({ $0 }) else { return }
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
