/// How many requests to one host a session may have in flight at the same time.
public enum Concurrency: Sendable, Hashable {
    /// As many as the host answers without slowing down; see ``ConcurrencyLimit``.
    case adaptive
    /// Always this number; below 1 counts as 1.
    case fixed(Int)
}

/// The protocol of a response, as far as it matters for concurrency.
public enum HTTPVersion: Sendable, Hashable {
    /// One request at a time on a connection.
    case http1
    /// Many requests at the same time on one connection.
    case http2
}

/// Decides how many requests to one host may be in flight. It is a value that gets the time as an argument.
///
/// - **First**: the first request goes alone. Its response tells the protocol.
/// - **HTTP/1.1**, or an unknown protocol: 16 requests, each on its own connection.
/// - **HTTP/2**: starts at 16 requests and doubles each round, up to 128, while responses don't slow down. After that, the
///   width grows by a sixteenth a round. A round is as many responses as the width allows requests, all of them requested since
///   the width was last changed.
/// - A response's time runs from its request to its head. A round's time is the median of its responses. It is compared with
///   the least round of the last 20 s. Up to 1.2 times the least the width grows; above 1.5 times it shrinks by a quarter.
/// - Every 10 s one round runs at a quarter of the width. Otherwise the least time of a server that slows down in proportion
///   to its load would always be one that was measured under load.
/// - After a 429, a 503 or a time-out, and after a round in which more than a tenth of the requests lost their connection, the
///   width is halved, at most once a round. It then grows by one request a second until 30 s have passed without another.
///
/// The idea of comparing with the least time is that of TCP Vegas; halving is that of TCP Reno (RFC 5681).
package struct ConcurrencyLimit: Sendable {
    /// The number of requests with HTTP/1.1, and at the start with HTTP/2.
    package static let start = 16
    /// The maximum with HTTP/2.
    package static let maximum = 128

    /// A failure that may mean that the server has too much to do.
    package enum Failure: Sendable, Hashable {
        /// A 429 or a 503.
        case refused
        /// A time limit expired.
        case timedOut
        /// The connection or the stream broke off.
        case connectionLost
    }

    private enum Phase: Sendable {
        /// Waits for the first response.
        case first
        /// Doubles the width each round. The number is the width before.
        case opening(before: Int)
        /// Adjusts the width in small steps.
        case steady
        /// Measures one round at a lower width, and then returns to `width`.
        case probing(width: Int)
    }

    /// The responses that were requested since the width was last changed.
    private struct Round: Sendable {
        var times: [Duration] = []
        var ended = 0
        var lost = 0
        var wasFull = false
    }

    /// The number of requests that may be in flight.
    package private(set) var width: Int
    private let isFixed: Bool
    private var phase = Phase.first
    private var version: HTTPVersion?
    private var round = Round()
    /// When the width was last changed. Responses to earlier requests say nothing about the present width.
    private var changed: Duration = .zero
    /// The times of earlier rounds, and when they ended.
    private var window: [(ended: Duration, time: Duration)] = []
    private var nextProbe: Duration?
    private var lastFailure: Duration?
    private var lastGrowth: Duration = .zero

    /// The number of requests that a long run is likely to have in flight, as far as the protocol is known.
    package var expected: Int {
        isFixed ? width : version == .http2 ? Self.maximum : Self.start
    }

    /// Creates a limit for a host of which nothing is known.
    package init(_ concurrency: Concurrency) {
        switch concurrency {
        case .adaptive: (width, isFixed) = (1, false)
        case .fixed(let number): (width, isFixed) = (max(1, number), true)
        }
    }

    /// Records the head of a response.
    ///
    /// - Parameters:
    ///   - version: The protocol; `nil` if the transport doesn't report it.
    ///   - began: When the request was sent.
    ///   - now: When the head arrived, on the same clock.
    package mutating func receivedHead(_ version: HTTPVersion?, began: Duration, now: Duration) {
        guard !isFixed else { return }
        let maximum = version == .http2 ? Self.maximum : Self.start
        self.version = version
        if case .first = phase {
            // Its time contains that of connecting, so it isn't compared.
            phase = version == .http2 ? .opening(before: Self.start) : .steady
            return set(Self.start, now)
        }
        if width > maximum { set(maximum, now) }
        if began >= changed { round.times.append(now - began) }
    }

    /// Records the end of a request, after ``receivedHead(_:began:now:)`` if it had a response.
    ///
    /// - Parameters:
    ///   - failure: `nil` for a response that says nothing about the server's load.
    ///   - inFlight: The number of requests in flight, this one included.
    package mutating func ended(_ failure: Failure?, began: Duration, inFlight: Int, now: Duration) {
        guard !isFixed, began >= changed else { return }
        if case .first = phase { return }
        if inFlight >= width { round.wasFull = true }
        round.ended += 1
        switch failure {
        case .refused, .timedOut: return halve(now)
        case .connectionLost: round.lost += 1
        case nil: break
        }
        guard round.ended >= width else { return }
        if round.lost * 10 > round.ended { return halve(now) }
        endRound(now)
    }

    private mutating func endRound(_ now: Duration) {
        defer { round = Round() }
        guard version == .http2, let time = round.times.median else {
            if round.wasFull { grow(by: 1, to: Self.start, now) }
            return
        }
        window.removeAll { $0.ended < now - .seconds(20) }
        window.append((now, time))
        let least = window.map(\.time).min() ?? time
        if case .probing(let width) = phase {
            phase = .steady
            return set(width, now)
        }
        // A width that isn't used is neither good nor bad.
        guard round.wasFull else { return }
        let isSlow = time > least * 1.2 + .milliseconds(2)
        switch phase {
        case .opening(let before):
            if isSlow || width >= Self.maximum { phase = .steady }
            if isSlow { return set(before, now) }
            phase = width >= Self.maximum ? .steady : .opening(before: width)
            grow(by: width, to: Self.maximum, now)
        case .steady where time > least * 1.5 + .milliseconds(5):
            set(max(1, width * 3 / 4), now)
        case .steady where now >= nextProbe ?? .zero:
            let probed = nextProbe == nil ? nil : width
            nextProbe = now + .seconds(10)
            guard let probed, probed > 1 else { break }
            phase = .probing(width: probed)
            set(max(1, probed / 4), now)
        case .steady where !isSlow: grow(by: max(1, width / 16), to: Self.maximum, now)
        default: break
        }
    }

    /// Grows after a good round; by one request a second if the server had too much to do a short time ago.
    private mutating func grow(by number: Int, to maximum: Int, _ now: Duration) {
        var number = number
        if let lastFailure, now - lastFailure < .seconds(30) {
            guard now - max(lastFailure, lastGrowth) >= .seconds(1) else { return }
            number = 1
        }
        guard width < maximum else { return }
        lastGrowth = now
        set(min(maximum, width + number), now)
    }

    private mutating func halve(_ now: Duration) {
        if case .probing(let before) = phase { width = before }
        phase = .steady
        lastFailure = now
        set(max(1, width / 2), now)
    }

    private mutating func set(_ width: Int, _ now: Duration) {
        self.width = width
        changed = now
        round = Round()
    }
}

extension [Duration] {
    /// The upper median; `nil` if there are no elements.
    fileprivate var median: Duration? { isEmpty ? nil : sorted()[count / 2] }
}
