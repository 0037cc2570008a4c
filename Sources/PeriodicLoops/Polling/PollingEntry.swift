/// The properties of a polled item (``Pollable``), read once, when the item is added to a ``PollingCenter``.
///
/// They are read before the centre takes its lock, because an app's code implements them.
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

/// The state of a polled item in a ``PollingCenter``. Used only under the centre's lock.
final class PollingEntry {
    let item: PolledItem
    /// Larger than the number of every item that was added before. Items due at the same time begin in this order.
    let order: Int
    /// The status without ``PollingStatus/state``: the centre computes the state, which depends on all current polls.
    private(set) var status: PollingStatus
    /// The times at which the item is due, one interval apart, counted from when the item was enabled.
    private var grid: TickGrid
    /// The end of the back-off after a failed poll: the item isn't polled before this time. Nil if the last poll succeeded.
    private var pauseEnd: Duration?
    var isQueued = false
    /// Whether the item is polled again as soon as its current poll has ended, without waiting for a tick.
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
        pauseEnd = nil
        plan(item.startsAtOnce ? now : grid.next(after: now))
    }

    func disable() {
        (status.isEnabled, isQueued, isTriggered) = (false, false, false)
        status.nextRun = nil
    }

    func began(at now: Duration) {
        (isQueued, isTriggered) = (false, false)
        status.lastRun = now
        // A trigger can start a poll during a back-off. How this poll ends decides whether there is another back-off.
        pauseEnd = nil
        planNext(after: now)
    }

    /// Records the end of a poll that began at `start`. `failure` is the error's text; nil if the poll succeeded.
    func ended(_ failure: String?, began start: Duration, at now: Duration, random: () -> Double) {
        status.lastDuration = now - start
        status.lastError = failure
        status.runs += 1
        status.failures = failure == nil ? 0 : status.failures + 1
        pauseEnd =
            failure == nil ? nil : now + item.backOff.delay(afterFailures: status.failures, random: random())
        if let due, let pauseEnd { status.nextRun = max(due, pauseEnd) }
    }

    /// Skips the ticks that passed during a poll.
    func skipMissed(at now: Duration) {
        if let due, due <= now { planNext(after: now) }
    }

    private func planNext(after now: Duration) {
        grid.advance(to: now)
        plan(grid.next(after: now))
    }

    private func plan(_ tick: Duration) { status.nextRun = max(tick, pauseEnd ?? .zero) }
}
