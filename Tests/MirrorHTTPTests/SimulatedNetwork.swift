import MirrorHTTP

/// A server behind a link, in virtual time, to which as many requests are sent as a ``ConcurrencyLimit`` allows.
struct SimulatedNetwork {
    /// What the server does with a request.
    enum Server {
        /// Works on `slots` requests at the same time, each for `time`; others wait in order.
        case slots(Int, time: Duration)
        /// Needs `time` for a request, multiplied by the number of requests in flight.
        case proportional(time: Duration)
        /// As `slots`, but refuses requests with 429 if more than `limit` are in flight.
        case refusing(above: Int, time: Duration)
        /// Resets every stream of which the number is a multiple, and all beyond `limit` requests in flight.
        case resetting(every: Int, above: Int, time: Duration)
    }

    /// The time from a request to the server and back, without the server's own time.
    var roundTrip: Duration
    var server: Server
    var version: HTTPVersion? = .http2
    /// The bytes that the link carries in a second; `nil` for no limit.
    var bytesPerSecond: Int?
    var bytesPerResponse = 2_000
    /// The number of streams that the server allows on a connection; the transport opens further connections.
    var streams = Int.max

    private(set) var limit: ConcurrencyLimit
    private(set) var now: Duration = .zero
    private(set) var completed = 0
    private(set) var refused = 0
    /// The number of connections with requests in flight at the end of each second.
    private(set) var connections: [Int] = []
    /// The widths at the end of each second.
    private(set) var widths: [Int] = []

    private struct Event {
        let time: Duration
        let began: Duration
        let connection: Int
        let failure: ConcurrencyLimit.Failure?
        let hasHead: Bool
    }

    /// The requests in flight, the one that ends next last.
    private var events: [Event] = []
    private var inFlightByConnection: [Int] = []
    private var slotsFreeAt: [Duration] = []
    private var linkFreeAt: Duration = .zero
    private var number = 0

    init(
        _ server: Server, roundTrip: Duration, version: HTTPVersion? = .http2, bytesPerSecond: Int? = nil,
        streams: Int = .max, concurrency: Concurrency = .adaptive
    ) {
        self.roundTrip = roundTrip
        self.server = server
        self.version = version
        self.bytesPerSecond = bytesPerSecond
        self.streams = streams
        limit = ConcurrencyLimit(concurrency)
        let slots = if case .slots(let number, _) = server { number } else { 0 }
        slotsFreeAt = Array(repeating: .zero, count: slots)
    }

    /// Sends requests for a time, as many at once as the limit allows.
    mutating func run(for time: Duration) {
        let end = now + time
        while now < end {
            while events.count < limit.width { send() }
            let event = events.removeLast()
            for second in Int(now.components.seconds)..<Int(event.time.components.seconds) where second >= 0 {
                widths.append(limit.width)
                connections.append(inFlightByConnection.count { $0 > 0 })
            }
            inFlightByConnection[event.connection] -= 1
            now = event.time
            if event.hasHead {
                limit.receivedHead(version, on: event.connection, began: event.began, now: now)
            }
            limit.ended(event.failure, began: event.began, inFlight: events.count + 1, now: now)
            completed += event.failure == nil ? 1 : 0
            refused += event.failure == .refused ? 1 : 0
        }
    }

    private mutating func insert(_ event: Event) {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].time > event.time { low = middle + 1 } else { high = middle }
        }
        events.insert(event, at: low)
    }

    /// Sends no requests for a time.
    mutating func idle(for time: Duration) {
        while let event = events.popLast() { inFlightByConnection[event.connection] -= 1 }
        now += time
    }

    /// The connection of all requests in flight breaks off, and the next requests fail at once.
    mutating func loseAll() {
        while events.count < limit.width { send() }
        let lost = events
        events = []
        now += .milliseconds(50)
        for (number, event) in lost.enumerated() {
            inFlightByConnection[event.connection] -= 1
            limit.ended(.connectionLost, began: event.began, inFlight: lost.count - number, now: now)
        }
    }

    /// One more request fails at this time.
    mutating func fail(_ failure: ConcurrencyLimit.Failure) {
        limit.ended(failure, began: now, inFlight: events.count + 1, now: now)
    }

    private mutating func send() {
        number += 1
        let inFlight = events.count + 1
        // The first connection with a free stream is used.
        let connection = inFlightByConnection.firstIndex { $0 < streams } ?? inFlightByConnection.count
        if connection == inFlightByConnection.count { inFlightByConnection.append(0) }
        inFlightByConnection[connection] += 1
        let arrival = now + roundTrip / 2
        var failure: ConcurrencyLimit.Failure?
        var ready = arrival
        switch server {
        case .slots(_, let time):
            // Requests arrive in order and take equally long, so the slots become free in turn.
            let slot = number % slotsFreeAt.count
            ready = max(arrival, slotsFreeAt[slot]) + time
            slotsFreeAt[slot] = ready
        case .proportional(let time):
            ready = arrival + time * inFlight
        case .refusing(let limit, let time):
            failure = inFlight > limit ? .refused : nil
            ready = failure == nil ? arrival + time : arrival
        case .resetting(let every, let limit, let time):
            failure = inFlight > limit || number % every == 0 ? .connectionLost : nil
            ready = arrival + time
        }
        if let bytesPerSecond {
            linkFreeAt = max(linkFreeAt, ready) + .seconds(1) * bytesPerResponse / bytesPerSecond
            ready = linkFreeAt
        }
        insert(
            Event(
                time: ready + roundTrip / 2, began: now, connection: connection, failure: failure,
                hasHead: failure == nil || failure == .refused))
    }
}
