import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// The loops of a watch in somebody else's hand: nothing is asked but in a round, and no time is waited for.
///
/// The scheduler, the loops and what they work with are those of a ``Watch``; only its clock doesn't tick. For
/// simulations, which decide what happens when.
package final class FeedRounds: Sendable {
    private let setting: WatchSetting
    private let observer: WatchObserver
    private let lock = SharedRunLock()
    private let tally = WatchTally()
    private let follower = Mutex<Follower?>(nil)
    private let end = Mutex<(any Error)?>(nil)

    /// - Parameters:
    ///   - lent: what it works with; `nil` opens the files in the mirror's folder, as a watch does.
    ///   - elapsed: goes on only where time is said to pass.
    ///   - random: numbers in `0..<1`, for back-off.
    package init(
        partner: String, folder: MirrorFolder, base: String, options: SyncOptions,
        lent: SharedConnections? = nil,
        logger: Logger, now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        random: @escaping @Sendable () -> Double, observer: WatchObserver,
        makeSession:
            @escaping @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    ) {
        setting = WatchSetting(
            partner: partner, folder: folder, base: base, isNewOrigin: false, options: options,
            interval: .seconds(30), keepAwake: nil, freeSpace: FreeSpace { _ in nil }, logger: logger,
            now: now,
            clock: LoopClock(now: elapsed, sleep: { _ in try await Self.untilCancelled() }), executor: nil,
            random: random, makeSession: makeSession, lent: lent)
        self.observer = observer
    }

    /// No time passes by itself.
    private static func untilCancelled() async throws {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        defer { end.finish() }
        for await _ in never {}
        throw CancellationError()
    }

    /// Why the watch would have ended, if it would.
    package var failure: (any Error)? { end.withLock { $0 } }

    /// The first sync of a watch and, if it went well, the first round of all loops.
    ///
    /// - Returns: how the sync ended; whether there are loops now says ``isFollowing``.
    package func begin() async -> SyncSummary {
        let first = await WatchedSync(setting, observer, lock: lock).run(.first)
        guard case .goesOn = WatchVerdict(first, isKnown: true) else { return first }
        do {
            let follower = try Follower(
                setting, observer, lock: lock, tally: tally, first: first,
                ends: { [weak self] error in self?.end.withLock { $0 = $0 ?? error } })
            try follower.startInHand()
            self.follower.withLock { $0 = follower }
            await follower.scheduler.settled()
        } catch {
            end.withLock { $0 = $0 ?? error }
        }
        return first
    }

    package var isFollowing: Bool { follower.withLock { $0 } != nil }

    /// All loops once, with what more they have, whatever their back-off says; then what follows stored pages.
    package func round() async throws {
        guard let follower = follower.withLock({ $0 }) else { return }
        follower.switchShows()
        follower.bringBackCore()
        follower.scheduler.triggerAll()
        await follower.scheduler.settled()
        // What is still to be done after so many turns is left to the next round.
        for _ in 0..<20 {
            guard try await FollowUp(context: follower.context).run() else { break }
        }
    }

    /// A whole sync, as a watch runs one a day.
    package func sync() async throws {
        guard let follower = follower.withLock({ $0 }) else { return }
        do {
            try await follower.syncInHand(.daily)
        } catch {
            // The loops have gone on behind it, however it ended.
            await follower.scheduler.settled()
            throw error
        }
        await follower.scheduler.settled()
    }

    /// Nothing runs any more when it returns, and the database is closed unless it is lent.
    package func stop() async {
        let running = follower.withLock { follower in
            defer { follower = nil }
            return follower
        }
        await running?.stop()
    }
}

extension Follower {
    /// As ``start()``, without what is done at intervals.
    fileprivate func startInHand() throws {
        try forgetLoops()
        if state.withLock({ $0.way }) == .events {
            follow()
        } else {
            scheduler.disableLoop(LoopRecord.coreID)
        }
        if try context.store.loop(LoopRecord.coreID)?.state == LoopRecord.guarded {
            scheduler.disableLoop(LoopRecord.coreID)
        }
        switchShows()
        scheduler.start()
    }

    fileprivate func syncInHand(_ sync: WatchSync) async throws {
        scheduler.suspend()
        defer { scheduler.resume() }
        await scheduler.settled()
        let summary = await WatchedSync(setting, context.observer, lock: context.lock).run(sync)
        context.tally.addStored(summary.requests)
        try judge(summary, sync)
    }
}
