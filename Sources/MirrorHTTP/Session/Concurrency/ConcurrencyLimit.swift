/// Decides how many requests to one host may be in flight: the width. It is a value that gets the time as an argument.
///
/// - **First**: the first request goes alone. Its response shows the protocol.
/// - **HTTP/1.1**, or an unknown protocol: 16 requests, each on its own connection.
/// - **HTTP/2**: starts at 16 requests and doubles each round, up to 128, while responses don't slow down. After that, the
///   width grows by a sixteenth, then by an eighth, a quarter, a half, and at most doubles, as long as each round isn't slow. A
///   round is as many responses as the width allows requests, all of them requested since the width was last changed.
/// - A response's time runs from its request to its head. The median of a round's responses is compared with the least of the
///   last 20 s, separately for JSON and for pictures. Up to 1.2 times the least the width grows; above 1.5 times it shrinks by a
///   quarter, but not below 8: some resources are slower than others, and that must not stop a sync.
/// - Every 10 s, and before a used-up width shrinks, two rounds run at a quarter of the width. The times of the second become the
///   least. So a time that was measured under load, or of faster resources, isn't compared for long.
/// - If several connections are in use (``ConnectionUse``), the server allows fewer streams. The width shrinks by a quarter,
///   again and again, until one connection is enough, but not below 8. It then never grows beyond that.
/// - After a 429, a 503 or a time-out of a request that was sent since the last halving, the width is halved. Its next 30 steps
///   of growth are by one request, at least a second apart.
/// - After a round in which more than a tenth of the requests lost their connection, the width is halved, but not below 8: all
///   requests on a connection are lost together, and that may have nothing to do with their number.
/// - As long as a host has never answered, each ended request doubles the width, up to 16, so that a dead host doesn't hold up a
///   sync.
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

    /// The number of requests that may be in flight.
    package private(set) var width: Int
    package let isFixed: Bool
    private var phase = Phase.first
    private var version: HTTPVersion?
    private var round = ResponseRound()
    /// When the width was last changed. Responses to earlier requests say nothing about the present width.
    private var changed: Duration = .zero
    private var leastTimes = LeastTimes()
    /// The maximum with HTTP/2, as far as it is known how many streams the server allows.
    private var maximum = Self.maximum
    private var connections = ConnectionUse()
    private var nextProbe: Duration?
    private var lastProbe: Duration?
    /// The number of rounds in succession that were not slow, at most 4.
    private var growth = 0
    private var lastFailure: Duration?
    /// The steps of growth by one request that are left after the last failure.
    private var cautiousSteps = 0
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
    ///   - kind: What was requested. Default: JSON.
    ///   - began: When the request was sent.
    ///   - now: When the head arrived, on the same clock.
    package mutating func receivedHead(
        _ version: HTTPVersion?, on connection: Int? = nil, of kind: Request.Kind = .json, began: Duration,
        now: Duration
    ) {
        guard !isFixed else { return }
        self.version = version
        let maximum = version == .http2 ? maximum : Self.start
        if case .first = phase {
            // Its time contains that of connecting, so it isn't compared.
            phase = version == .http2 ? .opening(before: Self.start) : .steady
            return set(Self.start, now)
        }
        if version == .http2, let connection, connections.answered(on: connection, began: began, now: now) {
            return useFewerStreams(now)
        }
        if width > maximum { set(maximum, now) }
        if began >= changed { round.times[kind, default: []].append(now - began) }
    }

    /// Records the end of a request, after ``receivedHead(_:on:of:began:now:)`` if it had a response.
    ///
    /// - Parameters:
    ///   - failure: `nil` for a response that says nothing about the server's load.
    ///   - inFlight: The number of requests in flight, this one included.
    package mutating func ended(_ failure: Failure?, began: Duration, inFlight: Int, now: Duration) {
        guard !isFixed else { return }
        if case .first = phase {
            width = min(Self.start, width * 2)
            return
        }
        if failure == .refused || failure == .timedOut {
            if began >= lastFailure ?? began { halve(now) }
            return
        }
        if began >= changed {
            round.most = max(round.most, inFlight)
            round.ended += 1
            if failure == .connectionLost { round.lost += 1 }
        }
        // Long downloads of before the probe must not prolong it.
        guard began >= changed && round.ended >= roundLength || isProbeOver(now) else { return }
        if round.lost * 10 > round.ended { return halveAfterLosses(now) }
        endRound(now)
    }

    private mutating func endRound(_ now: Duration) {
        defer { round = ResponseRound() }
        if case .probing(let width) = phase { return endProbe(width, now) }
        guard version == .http2 else {
            if round.most >= width { grow(by: 1, to: Self.start, now) }
            return
        }
        let (isSlow, isVerySlow) = leastTimes.compare(round, now)
        guard round.most >= width else {
            // A larger width isn't used, so only a smaller one than the requests in flight has an effect.
            let smaller = max(Self.minimumRound, round.most * 3 / 4)
            if isVerySlow, smaller < width {
                phase = .steady
                set(smaller, now)
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
        case .steady where isVerySlow && width > 1 || nextProbe.map { now >= $0 } ?? false:
            phase = .probing(width: width)
            set(max(1, width / 4), now)
        case .steady where !isSlow:
            nextProbe = nextProbe ?? now + .seconds(10)
            grow(by: min(width, max(1, width / 16) << growth), to: maximum, now)
            growth = cautiousSteps > 0 ? 0 : min(growth + 1, 4)
            return
        default: break
        }
        growth = 0
    }

    private mutating func endProbe(_ width: Int, _ now: Duration) {
        for (kind, times) in round.times {
            // The first requests waited while the server still worked on those of the larger width.
            leastTimes.replace(by: times.suffix(max(1, times.count / 2)), of: kind, now)
        }
        (phase, nextProbe, lastProbe) = (.steady, now + .seconds(10), now)
        set(width, now)
    }

    /// The number of responses in a round; twice as many while probing.
    private var roundLength: Int {
        if case .probing = phase { return max(2 * width, Self.minimumRound) }
        return max(width, Self.minimumRound)
    }

    /// Whether the last probe was so short a time ago that its time can be relied on.
    private func isProbed(_ now: Duration) -> Bool { lastProbe.map { now < $0 + .seconds(2) } ?? false }

    /// Whether a probe has lasted long enough, although the responses are fewer than a round's: some may be long downloads.
    private func isProbeOver(_ now: Duration) -> Bool {
        if case .probing = phase { return now - changed > .seconds(2) }
        return false
    }

    /// Grows after a good round; by one request a second if the server had too much to do before.
    private mutating func grow(by number: Int, to maximum: Int, _ now: Duration) {
        var number = number
        if cautiousSteps > 0, let lastFailure {
            guard now - max(lastFailure, lastGrowth) >= .seconds(1) else { return }
            number = 1
            cautiousSteps -= 1
        }
        guard width < maximum else { return }
        lastGrowth = now
        set(min(maximum, width + number), now)
    }

    private mutating func useFewerStreams(_ now: Duration) {
        becomeSteady()
        maximum = min(maximum, max(Self.minimumRound, width * 3 / 4))
        set(min(width, maximum), now)
        connections.startOver(at: now)
    }

    /// Ends the opening or a probe, before the width shrinks.
    private mutating func becomeSteady() {
        if case .probing(let before) = phase { width = before }
        (phase, growth) = (.steady, 0)
    }

    private mutating func halve(_ now: Duration) {
        becomeSteady()
        cautiousSteps = 30
        lastFailure = now
        set(max(1, width / 2), now)
    }

    private mutating func halveAfterLosses(_ now: Duration) {
        becomeSteady()
        set(max(min(width, Self.minimumRound), width / 2), now)
    }

    private mutating func set(_ width: Int, _ now: Duration) {
        if width < self.width { connections.startOver(at: now) }
        self.width = width
        changed = now
        round = ResponseRound()
    }
}
