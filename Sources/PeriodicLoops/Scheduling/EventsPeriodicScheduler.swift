// PeriodicLoops: periodic work in programs that run for weeks.
//
// The target has two independent parts, and no knowledge of any domain:
//
// - `PollingCenter` runs named items (`Pollable`) at intervals. Each is enabled and disabled separately.
// - `EventsPeriodicScheduler` follows feeds with cursors: a `CoreLoop` and any number of special `EventsLoop`s, all
//   through one serial queue. The steps of one operation (cursor, poll, refresh or process) are the same for all loops;
//   see `LoopOperation`. `EscalationPolicy`, a value, decides what follows a failure.
//
// Decisions are pure: `PollingTable` and `LoopSchedule` get the time as an argument and return what to do.
// `PollingCenter` and `LoopEngine` start the tasks and set one alarm each. Time, randomness and the executor are passed
// in, so that tests run in virtual time on one thread. Tasks end with the centre or scheduler that started them. A queue
// contains each loop at most once.
//
// Start reading at `EventsLoop`, then `EventsPeriodicScheduler` and `LoopSchedule`.

/// Polls a core loop and any number of special loops, all at the same interval and through one serial queue.
///
/// ```swift
/// let scheduler = EventsPeriodicScheduler(core: partner) { id in
///     if id.hasPrefix("room:") { return RoomLoop(id) }
///     return ShowLoop(id)
/// }
/// scheduler.enableLoop("show:42")
/// scheduler.start()
/// …
/// scheduler.reset()
/// await scheduler.settled()
/// ```
///
/// **Order.** At each tick, if the queue is empty, all due loops are queued: the core loop first, then special loops in
/// the order in which they were enabled. One operation runs at a time; ``EventsLoop`` describes its steps. A loop whose
/// page has more is queued again behind the others.
///
/// **Failures.** After a failure, a loop waits until its ``LoopHealth/nextTry``, without delaying the others. An
/// operation that exceeds its time limit is abandoned. The core loop then has its turn before the next loop, which may
/// hang as well.
///
/// **Special loops** can be of several types. If a special loop is itself a ``CoreLoop``, such as the core loop of
/// another partner, the scheduler becomes its delegate when it is enabled, so that it can enable special loops of its
/// own. Ids are unique within the scheduler.
///
/// All methods can be called at any time, from any task and from loops. They are idempotent, and all but ``settled()``
/// return at once. When the scheduler is released, the running operation is cancelled and can't commit.
public final class EventsPeriodicScheduler: CoreLoopDelegate {
    private let core: any CoreLoop
    private let makeSpecialLoop: @Sendable (LoopID) -> (any EventsLoop)?
    private let engine: LoopEngine

    /// Creates a scheduler that isn't started, with the core loop enabled. It becomes the core loop's delegate.
    ///
    /// - Parameters:
    ///   - core: The core loop. The scheduler keeps it alive.
    ///   - configuration: The interval, limits, escalation policy and clock.
    ///   - specialLoop: Creates the loop with this ``EventsLoop/loopID``, each time that it is enabled. Returns nil if
    ///     there is no such loop.
    public init(
        core: any CoreLoop, configuration: EventsConfiguration = EventsConfiguration(),
        specialLoop: @escaping @Sendable (LoopID) -> (any EventsLoop)?
    ) {
        self.core = core
        makeSpecialLoop = specialLoop
        engine = LoopEngine(configuration)
        engine.reset(to: core)
        core.delegate = self
    }

    deinit { engine.end() }

    // MARK: Running

    /// Polls all loops now, and then at every interval. Has an effect only if the scheduler is new or was reset.
    ///
    /// - Returns: Whether the scheduler was started.
    @discardableResult
    public func start() -> Bool { engine.update { $0.start(at: $1) } }

    /// Starts no operation until ``resume()``, and empties the queue.
    ///
    /// A running operation continues to its end and may commit. Further pages of its feed, and loops triggered in the
    /// meantime, wait for ``resume()``.
    ///
    /// - Returns: Whether the scheduler was running.
    @discardableResult
    public func suspend() -> Bool { engine.update { schedule, _ in schedule.suspend() } }

    /// Continues after ``suspend()``. Ticks that have passed since then count as one.
    ///
    /// - Returns: Whether the scheduler was suspended.
    @discardableResult
    public func resume() -> Bool { engine.update { $0.resume(at: $1) } }

    /// Resets the scheduler to its initial state: not started, special loops disabled, the core loop enabled.
    ///
    /// A running operation is cancelled and can't commit.
    public func reset() { engine.reset(to: core) }

    /// Waits until no operation runs and none is about to.
    ///
    /// After ``suspend()`` or ``reset()``, this is when the last operation has ended. A cancelled operation that doesn't
    /// return is abandoned after 10 s (``EventsConfiguration/pollLimit``). The method also returns when the calling task
    /// is cancelled. Called from a loop, it returns at once.
    public func settled() async { await engine.settled() }

    // MARK: Loops

    /// Enables a special loop, or the core loop again. It is polled from the next tick on, or later if its stored health
    /// has a later ``LoopHealth/nextTry``.
    ///
    /// - Returns: Whether anything changed. False if the loop is already enabled, if another caller is enabling it, or if
    ///   there is no loop with this id.
    @discardableResult
    public func enableLoop(_ id: LoopID) -> Bool {
        let isCore = id == core.loopID
        return engine.enable(id, isCore: isCore) {
            if isCore { return core }
            guard let loop = makeSpecialLoop(id), loop.loopID == id else { return nil }
            (loop as? any CoreLoop)?.delegate = self
            return loop
        }
    }

    /// Disables a loop. It is removed from the queue; if it runs, it is cancelled and can't commit.
    ///
    /// - Returns: Whether anything changed.
    @discardableResult
    public func disableLoop(_ id: LoopID) -> Bool { engine.update { $0.disable(id, at: $1) } }

    /// Queues the core loop now; see ``triggerLoop(_:)``.
    @discardableResult
    public func triggerCoreLoop() -> Bool { triggerLoop(core.loopID) }

    /// Queues a loop now, regardless of its health. This also probes a quarantined loop.
    ///
    /// If the loop runs, it is queued again when its operation has ended. If it is already queued, nothing changes.
    ///
    /// - Returns: Whether the loop will be polled. False before the start, or if it isn't enabled.
    @discardableResult
    public func triggerLoop(_ id: LoopID) -> Bool { engine.update { schedule, _ in schedule.trigger(id) } }

    /// Queues all enabled loops now, in order; see ``triggerLoop(_:)``.
    public func triggerAll() {
        engine.update { schedule, _ in
            for entry in schedule.roster.entries { _ = schedule.trigger(entry.id) }
        }
    }

    /// The enabled loops: the core loop first, then special loops in the order in which they were enabled.
    public var enabledLoops: [LoopID] { engine.read { $0.roster.entries.map(\.id) } }

    /// The status of the scheduler and of all enabled loops.
    public var status: SchedulerStatus { engine.read { $0.status } }
}

/// The interval, limits, clock and random numbers of an ``EventsPeriodicScheduler``.
public struct EventsConfiguration: Sendable {
    /// The time between ticks, at which due loops are polled. Default: 30 s. At least 1 s; less is treated as 1 s.
    public var interval: Duration
    /// The time limit for reading the cursor and polling together, and for handling an error. Default: 10 s.
    public var pollLimit = Duration.seconds(10)
    /// The time limit for processing a page or refreshing. Default: nil, no limit.
    ///
    /// A refresh fetches everything. One that takes longer than the limit can never succeed.
    public var processLimit: Duration?
    /// The maximum number of consecutive pages of one loop before it waits for the next tick. Default: 50. At least 1.
    public var pagesPerTurn = 50
    /// The rules for failures.
    public var escalation = EscalationPolicy()
    /// The scheduler's time. Default: the system's continuous clock, starting at zero.
    public var clock: LoopClock
    /// The executor of the loops. Default: nil, the global one.
    public var executor: (any TaskExecutor)?
    /// Returns a random number in `0..<1`, for back-off. It must not call the scheduler. Default: the system's random
    /// numbers.
    public var random: @Sendable () -> Double

    /// Creates a configuration. The other properties have their defaults, and can be changed afterwards.
    public init(
        interval: Duration = .seconds(30), clock: LoopClock = .continuous(),
        executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.interval = interval
        self.clock = clock
        self.executor = executor
        self.random = random
    }
}
