/// What an item said of itself when it was added: read once, outside of the centre's lock, for it is an app's own code.
struct PolledItem: Sendable {
    let id: String
    let interval: Duration
    let startsAtOnce: Bool
    let lane: PollingLane
    let missedTicks: MissedTicks
    let jitter: Double
    let backOff: BackOff
    let timeLimit: Duration?
    let item: any Pollable

    init(_ item: any Pollable) {
        id = item.uid
        interval = item.interval
        startsAtOnce = item.startsAtOnce
        lane = item.lane
        missedTicks = item.missedTicks
        jitter = item.jitter
        backOff = item.backOff
        timeLimit = item.timeLimit
        self.item = item
    }
}

/// An item of a centre and what is known of it. Only touched under the centre's lock.
final class PollingEntry {
    let item: PolledItem
    /// Items that are due at the same time begin in the order in which they were added.
    let order: Int
    /// Without the state, which depends on what runs.
    private(set) var status: PollingStatus
    private var grid: TickGrid
    /// No run before this time, after failures.
    private var pause: Duration?
    var isQueued = false
    /// Runs again as soon as its handler has ended, whatever its ticks.
    var isTriggered = false

    init(_ item: PolledItem, order: Int) {
        self.item = item
        self.order = order
        grid = TickGrid(anchor: .zero, interval: item.interval)
        status = PollingStatus(id: item.id, interval: grid.interval)
    }

    var isEnabled: Bool { status.isEnabled }
    var due: Duration? { status.nextRun }

    func enable(at now: Duration, random: () -> Double) {
        status.isEnabled = true
        grid = TickGrid(anchor: now, interval: grid.interval)
        pause = nil
        plan(item.startsAtOnce ? now : grid.next(after: now), random)
    }

    func disable() {
        (status.isEnabled, isQueued, isTriggered) = (false, false, false)
        status.nextRun = nil
    }

    /// Counts the new interval from the last tick, so that shortening it needs no patience.
    func change(_ interval: Duration, random: () -> Double) {
        grid = TickGrid(anchor: grid.anchor, interval: interval)
        status.interval = grid.interval
        if isEnabled { plan(grid.anchor + grid.interval, random) }
    }

    func began(at now: Duration, random: () -> Double) {
        (isQueued, isTriggered) = (false, false)
        status.lastRun = now
        // A trigger may have come before the end of a back-off; what is next depends on how this run ends.
        pause = nil
        planNext(after: now, random)
    }

    /// A run that began at `start` has ended; `failure` says what went wrong, if anything.
    func ended(_ failure: String?, began start: Duration, at now: Duration, random: () -> Double) {
        status.lastDuration = now - start
        status.lastError = failure
        status.runs += 1
        status.failures = failure == nil ? 0 : status.failures + 1
        pause =
            failure == nil ? nil : now + item.backOff.delay(afterFailures: status.failures, random: random())
        if let due, let pause { status.nextRun = max(due, pause) }
    }

    /// What passed while the handler ran is not made up for.
    func skipMissed(at now: Duration, random: () -> Double) {
        if let due, due <= now { planNext(after: now, random) }
    }

    private func planNext(after now: Duration, _ random: () -> Double) {
        grid.advance(to: now)
        plan(grid.next(after: now), random)
    }

    private func plan(_ tick: Duration, _ random: () -> Double) {
        let jitter = min(max(0, item.jitter), 1)
        let late = jitter > 0 ? grid.interval * (jitter * min(max(0, random()), 1)) : .zero
        status.nextRun = max(tick + late, pause ?? .zero)
    }
}
