import Synchronization

/// The clock of centres and schedulers: a reading, and a way to wait.
///
/// All times in statuses and in ``LoopHealth`` are readings of this clock: durations since its zero. If an app stores
/// them across restarts, the clock's zero must be the same each time, for example 1970:
///
/// ```swift
/// let clock = LoopClock.continuous(startingAt: .seconds(Date().timeIntervalSince1970))
/// ```
public struct LoopClock: Sendable {
    /// Returns the time since the clock's zero. Must not go backwards.
    public var now: @Sendable () -> Duration
    /// Waits for a time, which may be zero. Must throw promptly when its task is cancelled, and only then.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a clock from its two functions.
    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Creates a clock from one of the standard library's protocol.
    ///
    /// - Parameters:
    ///   - clock: The clock to read and to wait with.
    ///   - start: The current reading. Default: zero.
    public init<C: Clock>(_ clock: C, startingAt start: Duration = .zero) where C.Duration == Duration {
        let origin = clock.now
        self.init(now: { start + origin.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) })
    }

    /// The system's continuous clock. It continues while the machine sleeps, and can't be set.
    ///
    /// - Parameter start: The current reading. Default: zero.
    public static func continuous(startingAt start: Duration = .zero) -> LoopClock {
        LoopClock(ContinuousClock(), startingAt: start)
    }
}

/// Ticks at equal intervals from an anchor on.
struct TickGrid {
    /// The shortest interval. A shorter one, set by mistake, would keep a CPU core busy.
    static let shortest = Duration.seconds(1)
    /// The longest interval: 100 years. Sums of it can't overflow a Duration.
    static let longest = Duration.seconds(86_400 * 36_500)

    private(set) var anchor: Duration
    private(set) var interval: Duration

    init(anchor: Duration, interval: Duration) {
        self.anchor = anchor
        self.interval = min(max(interval, Self.shortest), Self.longest)
    }

    /// The last tick at or before `now`; the first tick if there is none.
    func last(notAfter now: Duration) -> Duration {
        guard now > anchor else { return anchor }
        var tick = anchor + interval * Int(((now - anchor) / interval).rounded(.down))
        // The floating-point quotient may be off by one.
        while tick > now { tick -= interval }
        while tick + interval <= now { tick += interval }
        return tick
    }

    /// The first tick after `now`.
    func next(after now: Duration) -> Duration {
        now < anchor ? anchor : last(notAfter: now) + interval
    }

    /// Moves the anchor to the last tick at or before `now`.
    mutating func advance(to now: Duration) { anchor = last(notAfter: now) }
}

/// An object that an alarm wakes.
protocol AlarmOwner: AnyObject, Sendable {
    func wake()
}

/// Wakes its owner at a time, which can be moved to an earlier one. At most one task sleeps for it.
///
/// The reason for an alarm may no longer exist when it rings. The owner checks what is due, and sets the next alarm.
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

    /// Wakes the owner at `time` or earlier. Has no effect if `time` is nil.
    func ring(noLaterThan time: Duration?, _ owner: some AlarmOwner) {
        guard let time else { return }
        let tasks = state.withLock { state -> (new: RunHandle, old: RunHandle?)? in
            if state.isOver { return nil }
            if let set = state.time, set <= time { return nil }
            let new = RunHandle()
            defer { (state.time, state.sleeper) = (time, new) }
            return (new, state.sleeper)
        }
        guard let tasks else { return }
        tasks.old?.cancel()
        // The sleeping task keeps neither the alarm nor its owner alive.
        tasks.new.start(on: executor) { [weak self, weak owner, clock, new = tasks.new] in
            // Called even for zero: with a virtual clock, only the test may end a wait.
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

    /// Ends the alarm. The owner isn't woken any more.
    func end() {
        let sleeper = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
