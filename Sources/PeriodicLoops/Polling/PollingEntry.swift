/// An item of a centre and what is known of it. Only touched under the centre's lock.
final class PollingEntry {
    let item: Pollable
    /// Items that are due at the same time begin in the order in which they were added.
    let order: Int

    private(set) var isEnabled = false
    private(set) var due: Duration?
    private var grid: TickGrid
    /// No run before this time, after failures.
    private var pause: Duration?
    var isQueued = false
    /// Runs again as soon as its handler has ended, whatever its ticks.
    var isTriggered = false

    private(set) var lastRun: Duration?
    private(set) var lastDuration: Duration?
    private(set) var runs = 0
    private(set) var failures = 0
    private(set) var lastError: String?

    init(_ item: Pollable, order: Int) {
        self.item = item
        self.order = order
        grid = TickGrid(anchor: .zero, interval: item.interval)
    }

    var interval: Duration { grid.interval }

    func enable(at now: Duration, random: () -> Double) {
        isEnabled = true
        grid = TickGrid(anchor: now, interval: interval)
        pause = nil
        plan(item.startsAtOnce ? now : grid.next(after: now), random)
    }

    func disable() {
        (isEnabled, isQueued, isTriggered) = (false, false, false)
        due = nil
    }

    /// Counts the new interval from the last tick, so that shortening it needs no patience.
    func change(_ interval: Duration, random: () -> Double) {
        grid = TickGrid(anchor: grid.anchor, interval: interval)
        if isEnabled { plan(grid.anchor + grid.interval, random) }
    }

    func began(at now: Duration, random: () -> Double) {
        (isQueued, isTriggered) = (false, false)
        lastRun = now
        // A trigger may have come before the end of a back-off; what is next depends on how this run ends.
        pause = nil
        grid.advance(to: now)
        plan(grid.next(after: now), random)
    }

    func succeeded(after duration: Duration) {
        (lastDuration, failures, lastError, pause) = (duration, 0, nil, nil)
        runs += 1
    }

    func failed(_ message: String, after duration: Duration, at now: Duration, random: () -> Double) {
        (lastDuration, lastError) = (duration, message)
        runs += 1
        failures += 1
        let pause = now + item.backOff.delay(afterFailures: failures, random: random())
        self.pause = pause
        if let due { self.due = max(due, pause) }
    }

    /// What passed while the handler ran is not made up for.
    func skipMissed(at now: Duration, random: () -> Double) {
        guard let due, due <= now else { return }
        grid.advance(to: now)
        plan(grid.next(after: now), random)
    }

    private func plan(_ tick: Duration, _ random: () -> Double) {
        let jitter = min(max(0, item.jitter), 1)
        let late = jitter > 0 ? grid.interval * (jitter * min(max(0, random()), 1)) : .zero
        due = max(tick + late, pause ?? .zero)
    }

    func status(_ state: PollingStatus.State) -> PollingStatus {
        PollingStatus(
            id: item.id, state: state, isEnabled: isEnabled, interval: interval, lastRun: lastRun,
            lastDuration: lastDuration, runs: runs, failures: failures, lastError: lastError, nextRun: due)
    }
}
