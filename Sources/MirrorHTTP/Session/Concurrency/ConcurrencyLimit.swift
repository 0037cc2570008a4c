/// How many requests to one host a session may have in flight at the same time.
public enum Concurrency: Sendable, Hashable {
    /// As many as the host answers without slowing down: up to 16 with HTTP/1.1, and up to 128 with HTTP/2.
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
///   width grows by a sixteenth, and by twice as much after each further round that isn't slow. A round is as many responses as the width allows requests, all of them requested since
///   the width was last changed.
/// - A response's time runs from its request to its head. A round's time is the median of its responses. It is compared with
///   the least round of the last 20 s. Up to 1.2 times the least the width grows; above 1.5 times it shrinks by a quarter, but
///   not below 8: some resources are slower than others, and that must not stop a sync.
/// - Every 10 s, and before the width shrinks, one round runs at a quarter of the width, and its time becomes the least. So a
///   time that was measured under load, or of faster resources, isn't compared for long.
/// - If several connections are in use (``ConnectionUse``), the server allows fewer streams. The width shrinks by a quarter, and
///   never exceeds that again, until one connection is enough; but not below 8.
/// - After a 429, a 503 or a time-out of a request that was sent since the last halving, and after a round in which more than a
///   tenth of the requests lost their connection, the width is halved. It then grows by one request a second until 30 s have
///   passed without another.
/// - As long as a host has never answered, each failed request doubles the width, up to 16, so that a dead host doesn't hold up
///   a sync.
///
/// The idea of comparing with the least time is that of TCP Vegas; halving is that of TCP Reno (RFC 5681).
package struct ConcurrencyLimit: Sendable {
    /// The number of requests with HTTP/1.1, and at the start with HTTP/2.
    package static let start = 16
    /// The maximum with HTTP/2.
    package static let maximum = 128
    /// The least number of responses in a round, and the width below which slow responses don't shrink it.
    private static let minimumRound = 8

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
        /// The maximum number of requests in flight.
        var most = 0
    }

    /// The number of requests that may be in flight.
    package private(set) var width: Int
    private let isFixed: Bool
    private var phase = Phase.first
    private var version: HTTPVersion?
    private var round = Round()
    /// When the width was last changed. Responses to earlier requests say nothing about the present width.
    private var changed: Duration = .zero
    /// The least time of the rounds that ended in each of the last seconds.
    private var window: [(second: Int64, time: Duration)] = []
    /// The maximum with HTTP/2, as far as it is known how many streams the server allows.
    private var maximum = Self.maximum
    private var connections = ConnectionUse()
    private var nextProbe: Duration?
    /// The number of rounds in succession that were not slow, at most 4.
    private var growth = 0
    private var lastFailure: Duration?
    private var lastGrowth: Duration = .zero

    /// The number of requests that a long run is likely to have in flight, as far as the protocol is known.
    package var expected: Int {
        isFixed ? width : version == .http2 ? maximum : Self.start
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
    ///   - connection: A number that identifies the connection; `nil` if the transport doesn't report it.
    ///   - began: When the request was sent.
    ///   - now: When the head arrived, on the same clock.
    package mutating func receivedHead(
        _ version: HTTPVersion?, on connection: Int? = nil, began: Duration, now: Duration
    ) {
        guard !isFixed else { return }
        self.version = version
        let maximum = version == .http2 ? maximum : Self.start
        if case .first = phase {
            // Its time contains that of connecting, so it isn't compared.
            phase = version == .http2 ? .opening(before: Self.start) : .steady
            return set(Self.start, now)
        }
        if version == .http2, let connection, connections.answered(on: connection, began: began) {
            return useFewerStreams(now)
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
        guard !isFixed else { return }
        if case .first = phase {
            if failure != nil { width = min(Self.start, width * 2) }
            return
        }
        if failure == .refused || failure == .timedOut {
            if began >= lastFailure ?? began { halve(now) }
            return
        }
        guard began >= changed else { return }
        round.most = max(round.most, inFlight)
        round.ended += 1
        if failure == .connectionLost { round.lost += 1 }
        guard round.ended >= roundLength || isProbeOver(now) else { return }
        if round.lost * 10 > round.ended { return halve(now) }
        endRound(now)
    }

    private mutating func endRound(_ now: Duration) {
        defer { round = Round() }
        guard version == .http2, let time = round.times.median else {
            if round.most >= width { grow(by: 1, to: Self.start, now) }
            return
        }
        if case .probing(let width) = phase {
            // The first requests waited while the server still worked on those of the larger width.
            let settled = Array(round.times.suffix(max(1, round.times.count / 2)))
            window = [(now.components.seconds, settled.median ?? time)]
            nextProbe = now + .seconds(10)
            phase = .steady
            return set(width, now)
        }
        remember(time, now)
        let least = window.map(\.time).min() ?? time
        let isSlow = time > least * 1.2 + .milliseconds(2), isVerySlow = time > least * 1.5 + .milliseconds(5)
        guard round.most >= width else {
            // A larger width isn't used, so only a smaller one than the requests in flight has an effect.
            if isVerySlow {
                phase = .steady
                set(max(min(round.most, Self.minimumRound), round.most * 3 / 4), now)
            }
            return
        }
        switch phase {
        case .opening(let before):
            if isSlow || width >= maximum { phase = .steady }
            if isSlow { return set(before, now) }
            phase = width >= maximum ? .steady : .opening(before: width)
            grow(by: width, to: maximum, now)
        case .steady where isVerySlow && isProbed(now):
            set(max(min(width, Self.minimumRound), width * 3 / 4), now)
        case .steady where isVerySlow || now >= nextProbe ?? .zero:
            if nextProbe == nil, !isVerySlow {
                nextProbe = now + .seconds(10)
            } else if width > 1 {
                phase = .probing(width: width)
                set(max(1, width / 4), now)
            }
        case .steady where !isSlow:
            grow(by: min(width, max(1, width / 16) << growth), to: maximum, now)
            growth = min(growth + 1, 4)
            return
        default: break
        }
        growth = 0
    }

    /// Adds a round's time to the window. Rounds may be shorter than a millisecond, so each second has one entry.
    private mutating func remember(_ time: Duration, _ now: Duration) {
        let second = now.components.seconds
        window.removeAll { $0.second < second - 20 }
        if let last = window.indices.last, window[last].second == second {
            window[last].time = min(window[last].time, time)
        } else {
            window.append((second, time))
        }
    }

    /// The number of responses in a round; twice as many while probing.
    private var roundLength: Int {
        if case .probing = phase { return max(2 * width, Self.minimumRound) }
        return max(width, Self.minimumRound)
    }

    /// Whether the last probe was so short a time ago that its time can be relied on.
    private func isProbed(_ now: Duration) -> Bool { nextProbe.map { now < $0 - .seconds(8) } ?? false }

    /// Whether a probe has lasted long enough, although the responses are fewer than a round's: some may be long downloads.
    private func isProbeOver(_ now: Duration) -> Bool {
        if case .probing = phase { return now - changed > .seconds(2) }
        return false
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

    private mutating func useFewerStreams(_ now: Duration) {
        if case .probing(let before) = phase { width = before }
        phase = .steady
        maximum = min(maximum, max(Self.minimumRound, width * 3 / 4))
        connections.startOver(at: now)
        set(min(width, maximum), now)
    }

    private mutating func halve(_ now: Duration) {
        if case .probing(let before) = phase { width = before }
        (phase, growth) = (.steady, 0)
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
