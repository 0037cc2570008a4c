/// The state and the decisions of a scheduler: the enabled loops, the queue, the running operation and the ticks.
///
/// The schedule starts and cancels nothing itself. It collects ``Effects``, which the engine carries out after it has
/// released the lock.
struct LoopSchedule {
    /// The actions that the engine carries out after a change.
    struct Effects {
        var start: RunHandle?
        var cancels: [RunHandle] = []
        var wake: Duration?
    }

    let configuration: EventsConfiguration
    private(set) var phase = SchedulerStatus.Phase.notStarted
    var roster = LoopRoster()
    /// The serial queue: first in, first out, each loop at most once.
    var queue: [LoopEntry] = []
    /// Time-outs of abandoned operations, which are reported to their loops before anything else.
    var reports: [LoopOperation] = []

    /// The task that works through the queue; nil when the queue is empty.
    ///
    /// A cancelled task stays cancelled, so a new worker continues after a cancellation.
    var worker: RunHandle?
    var running: LoopOperation?
    /// Abandoned operations that haven't returned, by loop. Until it returns, its loop begins no other operation.
    var abandonedOperations: [LoopID: LoopOperation] = [:]
    var cancels: [RunHandle] = []

    /// The times at which all due loops are queued, if no work is left. The first tick is the start.
    private var ticks: TickGrid
    private var nextTick = Duration.zero
    private var cycles = 0
    private var skippedTicks = 0

    init(configuration: EventsConfiguration) {
        self.configuration = configuration
        ticks = TickGrid(anchor: .zero, interval: configuration.interval)
    }

    private var hasWork: Bool { phase == .running && (!queue.isEmpty || !reports.isEmpty) }
    var isSettled: Bool { running == nil && !hasWork }

    /// Returns the effects of all changes since the last call.
    mutating func takeEffects() -> Effects {
        var effects = Effects()
        swap(&effects.cancels, &cancels)
        if hasWork && running == nil && worker == nil {
            worker = RunHandle()
            effects.start = worker
        }
        effects.wake = phase == .running ? nextTick : nil
        if let deadline = running?.deadline { effects.wake = min(effects.wake ?? deadline, deadline) }
        return effects
    }

    // MARK: Phases

    mutating func start(at now: Duration) -> Bool {
        guard phase == .notStarted else { return false }
        phase = .running
        ticks = TickGrid(anchor: now, interval: configuration.interval)
        nextTick = now
        wake(at: now)
        return true
    }

    mutating func suspend() -> Bool {
        guard phase == .running else { return false }
        phase = .suspended
        for entry in queue { entry.isQueued = false }
        queue = []
        running?.entry.isTriggered = false
        return true
    }

    mutating func resume(at now: Duration) -> Bool {
        guard phase == .suspended else { return false }
        phase = .running
        wake(at: now)
        return true
    }

    /// Resets everything to the state before the start, with only the core loop.
    mutating func reset(to core: LoopEntry?, at now: Duration) {
        phase = .notStarted
        (nextTick, cycles, skippedTicks) = (.zero, 0, 0)
        cancelRunning(at: now)
        for entry in queue { entry.isQueued = false }
        queue = []
        reports = []
        roster.removeAll()
        if let core { roster.add(core) }
    }

    // MARK: Loops

    mutating func disable(_ id: LoopID, at now: Duration) -> Bool {
        let entry = roster[id]
        guard roster.remove(id) else { return false }
        if let entry {
            unqueue(entry)
            reports.removeAll { $0.entry === entry }
            if running?.entry === entry { cancelRunning(at: now) }
        }
        return true
    }

    mutating func trigger(_ id: LoopID) -> Bool {
        guard phase != .notStarted, let entry = roster[id] else { return false }
        if running?.entry === entry { entry.isTriggered = true } else { enqueue(entry) }
        return true
    }

    mutating func enqueue(_ entry: LoopEntry) {
        guard !entry.isQueued else { return }
        entry.pages = 0
        append(entry)
    }

    mutating func append(_ entry: LoopEntry) {
        guard !entry.isQueued else { return }
        entry.isQueued = true
        queue.append(entry)
    }

    mutating func unqueue(_ entry: LoopEntry) {
        guard entry.isQueued else { return }
        entry.isQueued = false
        queue.removeAll { $0 === entry }
    }

    // MARK: Time

    /// Abandons an operation that exceeded its time limit. At a tick, queues all due loops if no work is left.
    mutating func wake(at now: Duration) {
        if let running, let deadline = running.deadline, deadline <= now { abandon(running, at: now) }
        guard phase == .running, nextTick <= now else { return }
        // All ticks that have passed count as one.
        ticks.advance(to: now)
        nextTick = ticks.next(after: now)
        // A cancelled operation doesn't count as work that is left.
        let isIdle = queue.isEmpty && reports.isEmpty && running?.isCancelled ?? true
        guard isIdle else {
            skippedTicks += 1
            return
        }
        cycles += 1
        for entry in roster.entries where entry.health.isDue(at: now) { enqueue(entry) }
    }

    var status: SchedulerStatus {
        let loops = roster.entries.map { entry in
            var status = entry.status
            status.activity = entry.isQueued ? .queued : .waiting
            if let running, running.entry === entry { status.activity = running.activity }
            status.hasStrayTry = abandonedOperations[entry.id] != nil
            return status
        }
        return SchedulerStatus(
            phase: phase, nextTick: phase == .notStarted ? nil : nextTick, cycles: cycles,
            skippedTicks: skippedTicks, loops: loops)
    }
}

/// The enabled loops: the core loop first, then special loops in the order in which they were enabled.
struct LoopRoster {
    private(set) var entries: [LoopEntry] = []
    /// The ids whose loops are being created without the lock, with the numbers of their reservations.
    private var reserved: [LoopID: Int] = [:]
    private var lastNumber = 0

    subscript(id: LoopID) -> LoopEntry? { entries.first { $0.id == id } }

    /// Reserves an id while its loop is created. Returns the reservation's number; nil if the id is enabled or reserved.
    mutating func reserve(_ id: LoopID) -> Int? {
        guard self[id] == nil, reserved[id] == nil else { return nil }
        lastNumber += 1
        reserved[id] = lastNumber
        return lastNumber
    }

    /// Ends a reservation. Returns false if the loop was disabled, or all loops were removed, since it was made.
    mutating func endReservation(_ id: LoopID, _ number: Int) -> Bool {
        guard reserved[id] == number else { return false }
        reserved[id] = nil
        return true
    }

    mutating func add(_ entry: LoopEntry) {
        if entry.status.isCore { entries.insert(entry, at: 0) } else { entries.append(entry) }
    }

    /// Removes a loop or its reservation. Returns whether there was either.
    mutating func remove(_ id: LoopID) -> Bool {
        let wasReserved = reserved.removeValue(forKey: id) != nil
        guard let entry = self[id] else { return wasReserved }
        entries.removeAll { $0 === entry }
        return true
    }

    mutating func removeAll() { (entries, reserved) = ([], [:]) }
}

/// The state of an enabled loop. Used only under the engine's lock.
final class LoopEntry {
    let loop: any EventsLoop
    /// The status, without the parts that depend on the queue and on the running operation.
    var status: LoopStatus

    var isQueued = false
    /// Whether the loop was triggered while it ran, and is queued again when its operation has ended.
    var isTriggered = false
    /// The number of consecutive pages since the loop was queued by a tick or a trigger.
    var pages = 0
    /// The number of consecutive operations that refreshed anything.
    var refreshes = 0

    init(_ loop: any EventsLoop, isCore: Bool, health: LoopHealth) {
        self.loop = loop
        status = LoopStatus(id: loop.loopID, isCore: isCore, health: health)
    }

    var id: LoopID { status.id }

    var health: LoopHealth {
        get { status.health }
        set { status.health = newValue }
    }
}
