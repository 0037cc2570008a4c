/// The state and the decisions of a polling centre: the items, the current runs, and what to start or cancel.
///
/// The table starts and cancels nothing itself. It collects ``Effects``, which the centre carries out after it has
/// released the lock.
struct PollingTable {
    struct Run {
        let entry: PollingEntry
        let handle: RunHandle
        let began: Duration
        let deadline: Duration?
        var isCancelled = false
        /// The time limit is exceeded and the failure is recorded, but the handler hasn't returned yet.
        var isOverdue = false
    }

    /// The actions that the centre carries out after a change.
    struct Effects {
        var starts: [(handle: RunHandle, item: PolledItem)] = []
        var cancels: [RunHandle] = []
        /// The earliest time at which an item is due or a time limit ends, of those that this change set.
        var wake: Duration?

        mutating func wake(at time: Duration?) {
            if let time { wake = min(wake ?? time, time) }
        }
    }

    private let random: @Sendable () -> Double
    private(set) var entries: [String: PollingEntry] = [:]
    /// The current runs, by item. A run continues after its item was removed, even if the item was added again.
    private(set) var runs: [String: Run] = [:]
    /// The item that occupies the serial lane until its run ends.
    private var laneHolder: PollingEntry?
    /// The items that wait for the serial lane, in the order in which they became due.
    private var laneQueue: [PollingEntry] = []
    /// Which handlers wait for the ends of which other handlers, to prevent a deadlock.
    private var handlerWaits: [(waiter: RunHandle, other: RunHandle)] = []
    private var lastOrder = 0
    private var effects = Effects()

    init(random: @escaping @Sendable () -> Double) { self.random = random }

    mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    // MARK: Items

    /// The ids of all items, in the order in which they were added.
    var ids: [String] { entries.values.sorted { $0.order < $1.order }.map(\.item.id) }

    mutating func add(_ item: PolledItem) -> Bool {
        guard entries[item.id] == nil else { return false }
        lastOrder += 1
        entries[item.id] = PollingEntry(item, order: lastOrder)
        return true
    }

    mutating func remove(_ id: String) -> Bool {
        guard disable(id, cancelling: true) != nil else { return false }
        entries[id] = nil
        return true
    }

    /// Enables an item. Returns whether anything changed; nil if there is no such item.
    mutating func enable(_ id: String, at now: Duration) -> Bool? {
        guard let entry = entries[id] else { return nil }
        if entry.isEnabled { return false }
        entry.enable(at: now)
        beginOrSetAlarm(entry, at: now)
        return true
    }

    /// Disables an item. Returns whether anything changed; nil if there is no such item.
    mutating func disable(_ id: String, cancelling: Bool) -> Bool? {
        guard let entry = entries[id] else { return nil }
        let wasEnabled = entry.isEnabled
        laneQueue.removeAll { $0 === entry }
        entry.disable()
        if cancelling, let run = runs[id], !run.isCancelled {
            runs[id]?.isCancelled = true
            effects.cancels.append(run.handle)
        }
        return wasEnabled
    }

    mutating func trigger(_ id: String, at now: Duration) -> Bool {
        guard let entry = entries[id], entry.isEnabled else { return false }
        if runs[id] != nil {
            entry.isTriggered = true
        } else if !entry.isQueued {
            begin(entry, at: now)
        }
        return true
    }

    // MARK: Time

    /// Ends runs that exceed their time limits, begins items that are due, and sets the time of the next call.
    mutating func wake(at now: Duration) {
        let late = runs.values.filter { run in
            !run.isOverdue && run.deadline.map { $0 <= now } == true
        }
        for run in late.sorted(by: { $0.entry.order < $1.entry.order }) { expire(run, at: now) }
        var due: [(time: Duration, entry: PollingEntry)] = []
        for entry in entries.values where !entry.isQueued && runs[entry.item.id] == nil {
            guard let time = entry.due else { continue }
            if time <= now { due.append((time, entry)) } else { effects.wake(at: time) }
        }
        for (_, entry) in due.sorted(by: { ($0.time, $0.entry.order) < ($1.time, $1.entry.order) }) {
            begin(entry, at: now)
        }
        for run in runs.values where !run.isOverdue { effects.wake(at: run.deadline) }
    }

    private mutating func expire(_ run: Run, at now: Duration) {
        let id = run.entry.item.id
        runs[id]?.isOverdue = true
        effects.cancels.append(run.handle)
        if !run.isCancelled {
            let limit = (run.deadline ?? now) - run.began
            let error = LoopError.timedOut("The handler of \(id)", after: limit)
            run.entry.ended(error.message, began: run.began, at: now, random: random)
        }
        leaveLane(run, at: now)
    }

    // MARK: Runs

    /// Begins an item if it is due; otherwise sets the time at which it will be.
    private mutating func beginOrSetAlarm(_ entry: PollingEntry, at now: Duration) {
        guard let due = entry.due, !entry.isQueued, runs[entry.item.id] == nil else { return }
        if due <= now { begin(entry, at: now) } else { effects.wake(at: due) }
    }

    private mutating func begin(_ entry: PollingEntry, at now: Duration) {
        if entry.item.lane == .serial {
            if let laneHolder, laneHolder !== entry {
                entry.isQueued = true
                laneQueue.append(entry)
                return
            }
            laneHolder = entry
        }
        let limit = entry.item.timeLimit.map { min(max($0, .milliseconds(1)), TickGrid.longest) }
        let run = Run(entry: entry, handle: RunHandle(), began: now, deadline: limit.map { now + $0 })
        runs[entry.item.id] = run
        entry.began(at: now)
        effects.starts.append((run.handle, entry.item))
        effects.wake(at: run.deadline)
    }

    /// Records that a handler has returned or thrown.
    mutating func ended(_ id: String, _ error: (any Error)?, at now: Duration) {
        guard let run = runs.removeValue(forKey: id) else { return }
        if !run.isOverdue {
            if !run.isCancelled {
                run.entry.ended(error.map(LoopError.text), began: run.began, at: now, random: random)
            }
            leaveLane(run, at: now)
        }
        // If the item was removed and added again, this is another entry.
        guard let entry = entries[id], entry.isEnabled, !entry.isQueued else { return }
        if entry.isTriggered { return begin(entry, at: now) }
        if entry === run.entry { entry.skipMissed(at: now) }
        beginOrSetAlarm(entry, at: now)
    }

    private mutating func leaveLane(_ run: Run, at now: Duration) {
        guard laneHolder === run.entry else { return }
        laneHolder = laneQueue.isEmpty ? nil : laneQueue.removeFirst()
        if let laneHolder { begin(laneHolder, at: now) }
    }

    // MARK: Waiting for a run's end

    /// Records that one handler waits for another. Returns false if the other waits for the first, directly or
    /// indirectly.
    mutating func wait(_ waiter: RunHandle, for other: RunHandle) -> Bool {
        var open = [other]
        var seen: Set<ObjectIdentifier> = []
        while let next = open.popLast() {
            if next === waiter { return false }
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            open += handlerWaits.filter { $0.waiter === next }.map(\.other)
        }
        handlerWaits.append((waiter, other))
        return true
    }

    mutating func endWait(_ waiter: RunHandle, for other: RunHandle) {
        let index = handlerWaits.firstIndex { $0.waiter === waiter && $0.other === other }
        if let index { handlerWaits.remove(at: index) }
    }

    // MARK: Status

    func status(of id: String) -> PollingStatus? { entries[id].map(status) }

    /// The statuses of all items, in the order in which they were added.
    func statuses() -> [PollingStatus] { entries.values.sorted { $0.order < $1.order }.map(status) }

    private func status(of entry: PollingEntry) -> PollingStatus {
        var status = entry.status
        if let run = runs[entry.item.id] {
            status.state = run.isOverdue || run.isCancelled ? .overdue : .running
        } else if entry.isQueued {
            status.state = .queued
        } else if entry.isEnabled {
            status.state = .waiting
        }
        return status
    }
}
