/// Moments at even distances from one on.
struct TickGrid {
    /// The shortest distance there may be: what is shorter is a mistake that would keep a core busy.
    static let shortest = Duration.seconds(1)
    /// The longest distance: sums of it stay far from what a Duration can hold.
    static let longest = Duration.seconds(86_400 * 36_500)

    private(set) var anchor: Duration
    private(set) var interval: Duration

    init(anchor: Duration, interval: Duration) {
        self.anchor = anchor
        self.interval = min(max(interval, Self.shortest), Self.longest)
    }

    /// The last tick that is not after `now`; the first one if all are.
    func last(notAfter now: Duration) -> Duration {
        guard now > anchor else { return anchor }
        var tick = anchor + interval * Int(((now - anchor) / interval).rounded(.down))
        // A quotient of doubles may be off by one.
        while tick > now { tick -= interval }
        while tick + interval <= now { tick += interval }
        return tick
    }

    /// The first tick after `now`.
    func next(after now: Duration) -> Duration {
        now < anchor ? anchor : last(notAfter: now) + interval
    }

    /// Forgets the ticks up to the last one that is not after `now`.
    mutating func advance(to now: Duration) { anchor = last(notAfter: now) }
}
