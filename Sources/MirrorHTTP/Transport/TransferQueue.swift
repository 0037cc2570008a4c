/// Decides which waiting transfer begins next, within a limit for each host and one for all.
///
/// First come, first served within a host; hosts take turns, so that a slow one with thousands waiting holds up
/// no other. A value without clock or I/O.
struct TransferQueue<Element> {
    private struct Lane {
        var waiting: [Element] = []
        var active = 0
    }

    private let perHost: Int
    private let total: Int
    private var lanes: [String: Lane] = [:]
    /// Hosts of which one may begin, each once.
    private var turns: [String] = []
    private(set) var active = 0

    init(perHost: Int, total: Int) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
    }

    mutating func enqueue(_ element: Element, host: String) {
        lanes[host, default: Lane()].waiting.append(element)
        giveTurn(host)
    }

    /// The transfer that may begin now; it holds its place until ``finished(host:)``.
    mutating func next() -> Element? {
        guard active < total, !turns.isEmpty else { return nil }
        let host = turns.removeFirst(), element = lanes[host]?.waiting.removeFirst()
        lanes[host]?.active += 1
        active += 1
        giveTurn(host)
        return element
    }

    /// Gives back the place of one transfer that ``next()`` had let begin.
    mutating func finished(host: String) {
        active -= 1
        lanes[host]?.active -= 1
        giveTurn(host)
        if let lane = lanes[host], lane.active == 0, lane.waiting.isEmpty { lanes[host] = nil }
    }

    /// Empties the queue; transfers that have begun keep their places.
    mutating func removeAllWaiting() -> [Element] {
        defer {
            turns = []
            for host in lanes.keys { lanes[host]?.waiting = [] }
        }
        return lanes.values.flatMap(\.waiting)
    }

    private mutating func giveTurn(_ host: String) {
        guard let lane = lanes[host], lane.active < perHost, !lane.waiting.isEmpty, !turns.contains(host)
        else { return }
        turns.append(host)
    }
}

/// Decides when a transfer has idled, or lasted, too long; a value that is given the time.
///
/// Time spent in the queue counts for neither: the clock is made when the transfer begins. The idle time starts
/// when the connection is established (before that the connect limit counts), and stops while the sink pauses.
struct TransferClock {
    typealias Instant = SuspendingClock.Instant

    private let limits: TransferLimits
    private let began: Instant
    private var lastByte: Instant?

    init(limits: TransferLimits, now: Instant) {
        self.limits = limits
        began = now
    }

    /// A byte went either way, or the connection was established.
    mutating func moved(at now: Instant) { lastByte = now }

    /// The earliest instant at which a limit can have been passed, if asked at `now`: while the idle time does
    /// not run, it may begin to run at once.
    func deadline(at now: Instant, paused: Bool) -> Instant {
        let idleFrom = paused ? now : lastByte ?? now
        return min(began.advanced(by: limits.whole), idleFrom.advanced(by: limits.idle))
    }

    func expired(at now: Instant, paused: Bool) -> TransportError.Code? {
        if now >= began.advanced(by: limits.whole) { return .timedOut }
        guard let lastByte, !paused else { return nil }
        return now >= lastByte.advanced(by: limits.idle) ? .idleTimedOut : nil
    }
}
