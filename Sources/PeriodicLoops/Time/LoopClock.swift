import Synchronization

/// The time that centres and schedulers go by: a reading and a way to wait.
///
/// All times in statuses and in ``LoopHealth`` are readings of this clock: a `Duration` since its zero. An app that
/// stores them over a restart gives the clock a zero that both runs share, such as 1970:
///
/// ```swift
/// let clock = LoopClock.continuous(startingAt: .seconds(Date().timeIntervalSince1970))
/// ```
public struct LoopClock: Sendable {
    /// The time since the clock's zero. Must not go backwards.
    public var now: @Sendable () -> Duration
    /// Waits for a time, zero where it has come; throws only when its task is cancelled, and promptly then.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// - Parameter start: What the clock says now. Default: zero.
    public init<C: Clock>(_ clock: C, startingAt start: Duration = .zero) where C.Duration == Duration {
        let origin = clock.now
        self.init(now: { start + origin.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) })
    }

    /// The system's clock that goes on while the machine sleeps and can't be set.
    ///
    /// - Parameter start: What the clock says now. Default: zero.
    public static func continuous(startingAt start: Duration = .zero) -> LoopClock {
        LoopClock(ContinuousClock(), startingAt: start)
    }
}

/// Moments at even distances from one on.
struct TickGrid {
    /// The shortest distance there may be: what is shorter is a mistake that would keep a core busy.
    static let shortest = Duration.seconds(1)
    /// The longest distance: sums of it stay far from what a Duration can hold.
    static let longest = Duration.seconds(86_400 * 36_500)

    private(set) var anchor: Duration
    private(set) var interval: Duration

    init(anchor: Duration, interval: Duration) {
        self.anchor = anchor
        self.interval = min(max(interval, Self.shortest), Self.longest)
    }

    /// The last tick that is not after `now`; the first one if all are.
    func last(notAfter now: Duration) -> Duration {
        guard now > anchor else { return anchor }
        var tick = anchor + interval * Int(((now - anchor) / interval).rounded(.down))
        // A quotient of doubles may be off by one.
        while tick > now { tick -= interval }
        while tick + interval <= now { tick += interval }
        return tick
    }

    /// The first tick after `now`.
    func next(after now: Duration) -> Duration {
        now < anchor ? anchor : last(notAfter: now) + interval
    }

    /// Forgets the ticks up to the last one that is not after `now`.
    mutating func advance(to now: Duration) { anchor = last(notAfter: now) }
}

/// What an alarm wakes.
protocol AlarmOwner: AnyObject, Sendable {
    func wake()
}

/// Wakes its owner at a time, which may be moved forward. One task at most sleeps for it.
///
/// It may ring for a reason that no longer holds; the owner checks what is due, and sets it again.
final class Alarm: Sendable {
    private struct State {
        var time: Duration?
        var sleeper: RunHandle?
        var isOver = false
    }

    private let clock: LoopClock
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    init(clock: LoopClock, executor: (any TaskExecutor)?) {
        self.clock = clock
        self.executor = executor
    }

    /// Wakes the owner at `time` or before; nil asks for nothing.
    func ring(noLaterThan time: Duration?, _ owner: some AlarmOwner) {
        guard let time else { return }
        let sleepers = state.withLock { state -> (new: RunHandle, old: RunHandle?)? in
            if state.isOver { return nil }
            if let set = state.time, set <= time { return nil }
            let new = RunHandle()
            defer { (state.time, state.sleeper) = (time, new) }
            return (new, state.sleeper)
        }
        guard let sleepers else { return }
        sleepers.old?.cancel()
        // The sleeping task keeps neither the alarm nor its owner alive.
        sleepers.new.start(on: executor) { [weak self, weak owner, clock, new = sleepers.new] in
            // Also called with zero: there are clocks whose waits end only when their owner says so.
            do { try await clock.sleep(max(.zero, time - clock.now())) } catch { return }
            if self?.hasRung(new) == true { owner?.wake() }
        }
    }

    private func hasRung(_ sleeper: RunHandle) -> Bool {
        state.withLock { state in
            guard state.sleeper === sleeper else { return false }
            (state.time, state.sleeper) = (nil, nil)
            return true
        }
    }

    /// Wakes the owner no more.
    func end() {
        let sleeper = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
