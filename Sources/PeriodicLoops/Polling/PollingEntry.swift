/// The properties of an item, read when it is added. They are read without the centre's lock, because an app implements
/// them.
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

/// The state of an item in a centre. Used only under the centre's lock.
final class PollingEntry {
    let item: PolledItem
    /// A number that grows with each item added. Items due at the same time begin in this order.
    let order: Int
    /// Everything but ``PollingStatus/state``, which depends on the current runs.
    private(set) var status: PollingStatus
    private var grid: TickGrid
    /// The end of the back-off: no run before this time. Nil unless the last run failed.
    private var pause: Duration?
    var isQueued = false
    /// Whether the item runs again as soon as its handler has ended, without waiting for a tick.
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
        // A trigger starts a run during a back-off. The next run depends only on how this one ends.
        pause = nil
        planNext(after: now)
    }

    /// Records the end of a run that began at `start`. `failure` is the error's text; nil if the run succeeded.
    func ended(_ failure: String?, began start: Duration, at now: Duration, random: () -> Double) {
        status.lastDuration = now - start
        status.lastError = failure
        status.runs += 1
        status.failures = failure == nil ? 0 : status.failures + 1
        pause =
            failure == nil ? nil : now + item.backOff.delay(afterFailures: status.failures, random: random())
        if let due, let pause { status.nextRun = max(due, pause) }
    }

    /// Skips the ticks that passed while the handler ran.
    func skipMissed(at now: Duration) {
        if let due, due <= now { planNext(after: now) }
    }

    private func planNext(after now: Duration) {
        grid.advance(to: now)
        plan(grid.next(after: now))
    }

    private func plan(_ tick: Duration) { status.nextRun = max(tick, pause ?? .zero) }
}
