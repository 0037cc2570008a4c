/// Decides which waiting transfer begins next, within a limit for each host and one for all.
///
/// First come, first served within a host; hosts take turns, so that a slow one with thousands waiting holds up
/// no other. A value without clock or I/O. Every operation costs O(1), however many wait.
struct TransferQueue<Element> {
    private struct Lane {
        var waiting = Line<Element>()
        var active = 0
        /// Whether the host stands in `turns`.
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
        if lanes.index(forKey: host) == nil { lanes[host] = Lane() }
        guard let lane = lanes.index(forKey: host) else { return }
        lanes.values[lane].waiting.append(element)
        giveTurn(lane)
    }

    /// The transfer that may begin now; it holds its place until ``finished(host:)``.
    mutating func next() -> Element? {
        guard active < total, let host = turns.popFirst(), let lane = lanes.index(forKey: host) else {
            return nil
        }
        lanes.values[lane].hasTurn = false
        guard let element = lanes.values[lane].waiting.popFirst() else { return nil }
        lanes.values[lane].active += 1
        active += 1
        giveTurn(lane)
        return element
    }

    /// Gives back the place of one transfer that ``next()`` had let begin.
    mutating func finished(host: String) {
        guard let lane = lanes.index(forKey: host) else { return }
        active -= 1
        lanes.values[lane].active -= 1
        giveTurn(lane)
        if lanes.values[lane].active == 0, lanes.values[lane].waiting.isEmpty { lanes.remove(at: lane) }
    }

    /// Empties the queue; transfers that have begun keep their places.
    mutating func removeAllWaiting() -> [Element] {
        var removed: [Element] = []
        for host in lanes.keys {
            while let element = lanes[host]?.waiting.popFirst() { removed.append(element) }
        }
        return removed
    }

    private mutating func giveTurn(_ place: Dictionary<String, Lane>.Index) {
        guard !lanes.values[place].hasTurn, lanes.values[place].active < perHost,
            !lanes.values[place].waiting.isEmpty
        else { return }
        lanes.values[place].hasTurn = true
        turns.append(lanes.keys[place])
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
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 256)
            head = 0
        } else if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
