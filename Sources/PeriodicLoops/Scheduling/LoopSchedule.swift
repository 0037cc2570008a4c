/// What a scheduler knows and decides: who is enabled, who is asked when, and what an outcome means.
///
/// It starts and cancels nothing itself: that is collected in ``effects`` for the engine, which carries it out after it has
/// let go of the lock.
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
    private var ticks: LoopTicks
    var queue = LoopQueue()
    var execution = LoopExecution()
    /// What was given up, and has to be reported before anything else.
    var reports: [(entry: LoopEntry, error: LoopError)] = []
    var cancels: [RunHandle] = []

    init(rules: EventsConfiguration) {
        self.rules = rules
        ticks = LoopTicks(interval: rules.interval)
    }

    var hasWork: Bool { phase == .running && (!queue.isEmpty || !reports.isEmpty) }
    var isSettled: Bool { execution.running == nil && !hasWork }

    /// What follows from all changes since the last call.
    mutating func takeEffects() -> Effects {
        var effects = Effects()
        if !cancels.isEmpty { swap(&effects.cancels, &cancels) }
        if hasWork && execution.running == nil { effects.start = execution.hire() }
        effects.wake = phase == .running ? ticks.next : nil
        if let deadline = execution.running?.deadline {
            effects.wake = min(effects.wake ?? deadline, deadline)
        }
        return effects
    }

    // MARK: Phases

    mutating func start(at now: Duration) -> Bool {
        guard phase == .notStarted else { return false }
        phase = .running
        ticks.start(at: now)
        wake(at: now)
        return true
    }

    mutating func suspend() -> Bool {
        guard phase == .running else { return false }
        phase = .suspended
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
        ticks = LoopTicks(interval: rules.interval)
        cancelRunning(at: now)
        queue.removeAll()
        reports = []
        roster.removeAll()
        if let core { roster.add(core) }
    }

    // MARK: Loops

    mutating func disable(_ id: LoopID, at now: Duration) -> Bool {
        let entry = roster[id]
        guard roster.remove(id) else { return false }
        if let entry { drop(entry, at: now) }
        return true
    }

    mutating func drop(_ entry: LoopEntry, at now: Duration) {
        queue.remove(entry)
        reports.removeAll { $0.entry === entry }
        if execution.running?.entry === entry { cancelRunning(at: now) }
    }

    private mutating func cancelRunning(at now: Duration) {
        if let worker = execution.cancel(by: now + rules.pollLimit) { cancels.append(worker) }
    }

    mutating func trigger(_ id: LoopID) -> Bool {
        guard phase != .notStarted, let entry = roster[id] else { return false }
        if execution.running?.entry === entry { entry.isTriggered = true } else { enqueue(entry) }
        return true
    }

    mutating func enqueue(_ entry: LoopEntry) {
        if entry.isQueued { return }
        entry.pages = 0
        queue.append(entry)
    }

    // MARK: Time

    /// Gives up what takes too long, and asks all loops if a tick has come and nothing is left to do.
    mutating func wake(at now: Duration) {
        if let deadline = execution.running?.deadline, deadline <= now { giveUp(at: now) }
        guard phase == .running else { return }
        // What was cancelled is no work that a tick would double.
        let isIdle = queue.isEmpty && reports.isEmpty && execution.running?.isCancelled ?? true
        guard ticks.take(at: now, isIdle: isIdle) else { return }
        for entry in roster.entries where entry.health.isDue(at: now) { enqueue(entry) }
    }

    // MARK: Status

    func status() -> SchedulerStatus {
        SchedulerStatus(
            phase: phase, nextTick: phase == .notStarted ? nil : ticks.next, cycles: ticks.cycles,
            skippedTicks: ticks.skipped, loops: roster.entries.map(status))
    }

    private func status(of entry: LoopEntry) -> LoopStatus {
        let running = execution.running.flatMap { $0.entry === entry ? $0 : nil }
        return entry.status(
            running?.activity ?? (entry.isQueued ? .queued : .waiting),
            hasStrayTry: execution.hasStray(entry))
    }
}
