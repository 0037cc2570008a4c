/// Decides which queued transfer begins next, within a limit for each host and a total limit.
///
/// Each host's transfers are served first in, first out. Hosts take turns, so that a slow host with thousands of transfers
/// doesn't delay other hosts. It is a value without clock or I/O.
struct TransferQueue<Element> {
    private struct Lane {
        var waiting: [Element] = []
        var active = 0
    }

    private let perHost: Int
    private let total: Int
    private var lanes: [String: Lane] = [:]
    /// The hosts whose next transfer may begin, each at most once.
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

    /// The transfer that may begin now. It occupies a slot until ``finished(host:)``.
    mutating func next() -> Element? {
        guard active < total, !turns.isEmpty else { return nil }
        let host = turns.removeFirst(), element = lanes[host]?.waiting.removeFirst()
        lanes[host]?.active += 1
        active += 1
        giveTurn(host)
        return element
    }

    /// Frees the slot of a transfer that ``next()`` returned.
    mutating func finished(host: String) {
        active -= 1
        lanes[host]?.active -= 1
        giveTurn(host)
        if let lane = lanes[host], lane.active == 0, lane.waiting.isEmpty { lanes[host] = nil }
    }

    /// Removes and returns all queued transfers; running ones keep their slots.
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

/// Decides whether a transfer has exceeded its idle or its total limit. It is a value that gets the time as an argument.
///
/// Time in the queue isn't counted, as the clock is created when the transfer begins. The idle time starts when the connection
/// is established (until then, the connect limit applies), and stops while the sink pauses.
struct TransferClock {
    typealias Instant = SuspendingClock.Instant

    private let limits: TransferLimits
    private let began: Instant
    private var lastByte: Instant?

    init(limits: TransferLimits, now: Instant) {
        self.limits = limits
        began = now
    }

    /// Records activity: bytes were sent or received, or the connection was established.
    mutating func recordActivity(at now: Instant) { lastByte = now }

    /// The earliest instant at which a limit can expire, as seen at `now`. A stopped idle time may start again at any moment.
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
