/// What an item said of itself when it was added: read once, outside of the centre's lock, for it is an app's own code.
struct PolledItem: Sendable {
    let id: String
    let interval: Duration
    let startsAtOnce: Bool
    let lane: PollingLane
    let backOff: BackOff
    let timeLimit: Duration?
    let item: any Pollable

    init(_ item: any Pollable) {
        id = item.uid
        interval = item.interval
        startsAtOnce = item.startsAtOnce
        lane = item.lane
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

    func enable(at now: Duration) {
        status.isEnabled = true
        grid = TickGrid(anchor: now, interval: grid.interval)
        pause = nil
        plan(item.startsAtOnce ? now : grid.next(after: now))
    }

    func disable() {
        (status.isEnabled, isQueued, isTriggered) = (false, false, false)
        status.nextRun = nil
    }

    func began(at now: Duration) {
        (isQueued, isTriggered) = (false, false)
        status.lastRun = now
        // A trigger may have come before the end of a back-off; what is next depends on how this run ends.
        pause = nil
        planNext(after: now)
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
    func skipMissed(at now: Duration) {
        if let due, due <= now { planNext(after: now) }
    }

    private func planNext(after now: Duration) {
        grid.advance(to: now)
        plan(grid.next(after: now))
    }

    private func plan(_ tick: Duration) { status.nextRun = max(tick, pause ?? .zero) }
}
