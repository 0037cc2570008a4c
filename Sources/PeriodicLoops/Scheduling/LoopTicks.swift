/// When all loops are asked: at the start, and then at every interval, unless there is still work.
struct LoopTicks {
    private var grid: TickGrid
    private(set) var next: Duration
    private(set) var cycles = 0
    private(set) var skipped = 0

    init(interval: Duration) {
        grid = TickGrid(anchor: .zero, interval: interval)
        next = .zero
    }

    mutating func start(at now: Duration) {
        grid = TickGrid(anchor: now, interval: grid.interval)
        next = now
    }

    /// Whether a tick has come and is to be heeded. However many have passed, they count as one.
    mutating func take(at now: Duration, isIdle: Bool) -> Bool {
        guard next <= now else { return false }
        grid.advance(to: now)
        next = grid.next(after: now)
        if isIdle { cycles += 1 } else { skipped += 1 }
        return isIdle
    }
}
