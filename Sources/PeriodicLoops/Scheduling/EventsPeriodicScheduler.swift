// PeriodicLoops: what runs again and again, for weeks.
//
// Two things that know nothing of each other or of any domain. `PollingCenter` runs named items (`Pollable`) at
// intervals, each enabled and disabled by itself. `EventsPeriodicScheduler` follows feeds with cursors: a `CoreLoop` and
// any number of special `EventsLoop`s, all through one serial queue. The flow of one operation (cursor, poll, refresh or
// process) is the same for all loops, see `LoopOperation`; what a failure leads to is decided by `EscalationPolicy`, a
// value.
//
// Decisions are pure: `PollingTable` and `LoopSchedule` take the time as an argument and say what is to be done;
// `PollingCenter` and `LoopEngine` start the tasks and set one alarm each. Time, randomness and the executor are passed
// in, so that tests run in virtual time on one thread. Tasks end with the centre or scheduler that started them; queues
// hold each loop at most once.
// Start reading at `EventsLoop`, then `EventsPeriodicScheduler` and `LoopSchedule`.

/// Follows a core loop and any number of special loops, all at the same interval and through one serial queue.
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
/// At each tick, and only if the queue is empty, all loops that are due are queued: the core loop first, then special
/// loops in the order of enabling. One operation runs at a time; see ``EventsLoop`` for what it does. A page that has more
/// puts its loop behind the others. A loop that fails waits as its ``LoopHealth`` says and holds up no other; what never
/// answers is given up after its time, and then the core loop is asked before the next that may do the same.
///
/// Special loops may be of several types. One that is itself a ``CoreLoop``, such as another partner's, gets the scheduler
/// as its delegate when it is enabled, so that it switches special loops of its own; ids are unique within the scheduler.
///
/// All methods may be called at any time, from any task and from loops; they return at once, ``settled()`` aside. Calling
/// one twice is harmless. When the scheduler goes away, what runs is cancelled, can't commit, and nothing is left.
public final class EventsPeriodicScheduler: CoreLoopDelegate {
    private let core: any CoreLoop
    private let makeSpecialLoop: @Sendable (LoopID) -> (any EventsLoop)?
    private let engine: LoopEngine

    /// A scheduler that has not started, with the core loop enabled. It becomes the core loop's delegate.
    ///
    /// - Parameters:
    ///   - core: Kept as long as the scheduler is.
    ///   - configuration: Interval, limits, escalation, clock.
    ///   - specialLoop: Makes the loop that has this ``EventsLoop/loopID``, each time that it is enabled; nil if there is
    ///     none.
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

    /// Asks all loops now, and then at every interval. Without effect unless new or reset.
    ///
    /// - Returns: Whether it started.
    @discardableResult
    public func start() -> Bool { engine.update { $0.start(at: $1) } }

    /// Begins nothing until ``resume()``, and drops what is queued. An operation that runs goes on to its end, and may
    /// commit; what more its feed has, and what is triggered meanwhile, waits for ``resume()``.
    ///
    /// - Returns: Whether it was running.
    @discardableResult
    public func suspend() -> Bool { engine.update { schedule, _ in schedule.suspend() } }

    /// Goes on. Ticks that have passed since ``suspend()`` count as one.
    ///
    /// - Returns: Whether it was suspended.
    @discardableResult
    public func resume() -> Bool { engine.update { $0.resume(at: $1) } }

    /// As new: not started, special loops disabled, the core loop enabled. What runs is cancelled and can't commit.
    public func reset() { engine.reset(to: core) }

    /// Returns when nothing runs and nothing is queued that is about to: after ``suspend()`` or ``reset()``, when the last
    /// operation has ended, or was given up 10 s (``EventsConfiguration/pollLimit``) after it was cancelled. Also when the
    /// caller's task is cancelled. A loop doesn't wait for itself: called from one, it returns at once.
    public func settled() async { await engine.settled() }

    // MARK: Loops

    /// Enables a special loop, or the core loop again. It is asked from the next tick on, unless its stored health says
    /// later.
    ///
    /// - Returns: Whether that changed anything: false if it is enabled, or another caller is about to, or there is none
    ///   with this id.
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

    /// Disables a loop: what is queued of it is dropped, and what runs is cancelled and can't commit.
    ///
    /// - Returns: Whether that changed anything.
    @discardableResult
    public func disableLoop(_ id: LoopID) -> Bool { engine.update { $0.disable(id, at: $1) } }

    /// Queues the core loop now; see ``triggerLoop(_:)``.
    @discardableResult
    public func triggerCoreLoop() -> Bool { triggerLoop(core.loopID) }

    /// Queues a loop now, whatever its health says: so a quarantined one is probed. If it runs, once more when that has
    /// ended; if it is queued, that is all.
    ///
    /// - Returns: Whether it will be asked: false before the start, or if it isn't enabled.
    @discardableResult
    public func triggerLoop(_ id: LoopID) -> Bool { engine.update { schedule, _ in schedule.trigger(id) } }

    /// Queues all enabled loops now, in order; see ``triggerLoop(_:)``.
    public func triggerAll() {
        engine.update { schedule, _ in
            for entry in schedule.roster.entries { _ = schedule.trigger(entry.id) }
        }
    }

    /// What is enabled now: the core loop first, then special loops in the order of enabling.
    public var enabledLoops: [LoopID] { engine.read { $0.roster.entries.map(\.id) } }

    /// The state of the scheduler and of all enabled loops.
    public var status: SchedulerStatus { engine.read { $0.status } }
}

/// Intervals, limits, clock and chance of an ``EventsPeriodicScheduler``.
public struct EventsConfiguration: Sendable {
    /// From tick to tick; loops that are due are asked at ticks. Default: 30 s. At least 1 s: less reads as 1 s.
    public var interval: Duration
    /// How long reading the cursor and polling may take together, and saying what an error means. Default: 10 s.
    public var pollLimit = Duration.seconds(10)
    /// How long processing a page or refreshing may take. Default: nil, as long as it takes, for a refresh fetches
    /// everything. With a limit, one that is longer never ends well.
    public var processLimit: Duration?
    /// How many pages of one loop may follow each other before it waits for the next tick. Default: 50. At least 1.
    public var pagesPerTurn = 50
    /// What failures lead to.
    public var escalation = EscalationPolicy()
    /// Default: the system's, from zero on.
    public var clock: LoopClock
    /// Where loops run. Default: the global executor.
    public var executor: (any TaskExecutor)?
    /// Numbers in `0..<1`, for back-off. It must not call the scheduler. Default: the system's.
    public var random: @Sendable () -> Double

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
