/// Decides which waiting transfer begins next, within a limit for each host and one for all.
///
/// First come, first served within a host; hosts take turns, so that a slow one with thousands waiting holds up
/// no other. A value without clock or I/O. Every operation costs O(1), however many wait.
struct TransferQueue<Element> {
    private struct Lane {
        var waiting = Line<Element>()
        var active = 0
        /// Whether the host is in `turns`.
        var hasTurn = false
    }

    private let perHost: Int
    private let total: Int
    private var lanes: [String: Lane] = [:]
    private var turns = Line<String>()
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
        guard active < total, let host = turns.popFirst() else { return nil }
        lanes[host]?.hasTurn = false
        guard let element = lanes[host]?.waiting.popFirst() else { return nil }
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
        var removed: [Element] = []
        for host in lanes.keys {
            while let element = lanes[host]?.waiting.popFirst() { removed.append(element) }
        }
        return removed
    }

    private mutating func giveTurn(_ host: String) {
        guard let lane = lanes[host], !lane.hasTurn, lane.active < perHost, !lane.waiting.isEmpty else {
            return
        }
        lanes[host]?.hasTurn = true
        turns.append(host)
    }
}

/// A first-in-first-out line over one array.
private struct Line<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        // Half of it is used up: moving the rest costs no more than taking that half did.
        if head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
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
