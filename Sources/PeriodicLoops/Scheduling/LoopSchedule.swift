/// What a scheduler knows and decides: which loops are enabled, when each runs, and what an outcome means.
///
/// It starts and cancels nothing itself: that is collected as ``Effects`` for the engine, which carries it out after it
/// has released the lock.
struct LoopSchedule {
    /// What the engine has to do after a change.
    struct Effects {
        var start: RunHandle?
        var cancels: [RunHandle] = []
        var wake: Duration?
    }

    let rules: EventsConfiguration
    private(set) var phase = SchedulerStatus.Phase.notStarted
    var roster = LoopRoster()
    /// The serial queue: first in, first out, each loop at most once.
    var queue: [LoopEntry] = []
    /// What was given up, and has to be reported before anything else.
    var reports: [LoopOperation] = []

    /// Works through the queue in one task; nil when the queue is empty. A cancelled task stays cancelled, so after a
    /// cancellation another worker goes on.
    var worker: RunHandle?
    var running: LoopOperation?
    /// By loop: the operation that was given up. While it hasn't returned, that loop begins no other.
    var strays: [LoopID: LoopOperation] = [:]
    var cancels: [RunHandle] = []

    /// All loops are asked at the start, and then at every tick, unless there is still work.
    private var ticks: TickGrid
    private var nextTick = Duration.zero
    private var cycles = 0
    private var skippedTicks = 0

    init(rules: EventsConfiguration) {
        self.rules = rules
        ticks = TickGrid(anchor: .zero, interval: rules.interval)
    }

    private var hasWork: Bool { phase == .running && (!queue.isEmpty || !reports.isEmpty) }
    var isSettled: Bool { running == nil && !hasWork }

    /// What follows from all changes since the last call.
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
        ticks = TickGrid(anchor: now, interval: rules.interval)
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

    /// As before the start, without any loop but this.
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

    /// Gives up what takes too long, and asks all loops if a tick has come and nothing is left to do.
    mutating func wake(at now: Duration) {
        if let running, let deadline = running.deadline, deadline <= now { giveUp(running, at: now) }
        guard phase == .running, nextTick <= now else { return }
        // However many ticks have passed, they count as one.
        ticks.advance(to: now)
        nextTick = ticks.next(after: now)
        // What was cancelled is no work that a tick would double.
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
            status.hasStrayTry = strays[entry.id] != nil
            return status
        }
        return SchedulerStatus(
            phase: phase, nextTick: phase == .notStarted ? nil : nextTick, cycles: cycles,
            skippedTicks: skippedTicks, loops: loops)
    }
}

/// The enabled loops: the core loop first, then special loops in the order of enabling.
struct LoopRoster {
    private(set) var entries: [LoopEntry] = []
    /// Ids whose loops are being made, outside of the lock, with the number of the reservation.
    private var reserved: [LoopID: Int] = [:]
    private var lastNumber = 0

    subscript(id: LoopID) -> LoopEntry? { entries.first { $0.id == id } }

    /// Reserves an id while its loop is made; nil if it is enabled or reserved.
    mutating func reserve(_ id: LoopID) -> Int? {
        guard self[id] == nil, reserved[id] == nil else { return nil }
        lastNumber += 1
        reserved[id] = lastNumber
        return lastNumber
    }

    /// Whether the id is still reserved under that number: a disabling or a reset in between ends the reservation.
    mutating func redeem(_ id: LoopID, _ number: Int) -> Bool {
        guard reserved[id] == number else { return false }
        reserved[id] = nil
        return true
    }

    mutating func add(_ entry: LoopEntry) {
        if entry.status.isCore { entries.insert(entry, at: 0) } else { entries.append(entry) }
    }

    /// Whether there was one, or one was about to be.
    mutating func remove(_ id: LoopID) -> Bool {
        let wasReserved = reserved.removeValue(forKey: id) != nil
        guard let entry = self[id] else { return wasReserved }
        entries.removeAll { $0 === entry }
        return true
    }

    mutating func removeAll() { (entries, reserved) = ([], [:]) }
}

/// An enabled loop and what is known of it. Only touched under the engine's lock.
final class LoopEntry {
    let loop: any EventsLoop
    /// Without what depends on the queue and on what runs.
    var status: LoopStatus

    var isQueued = false
    /// Triggered while it ran: it is queued again when that has ended.
    var isTriggered = false
    /// Pages in a row since it was queued by a tick or a trigger.
    var pages = 0
    /// How many operations in a row fetched something afresh.
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
