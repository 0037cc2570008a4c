import Foundation

/// The settings of a session.
public struct SessionConfiguration: Sendable {
    /// The clock for dates and waits. Default: the system's.
    public var clock: SessionClock
    /// The source of jitter, uniform in `0..<1`. Default: the system's random numbers.
    public var random: @Sendable () -> Double
    /// The limits of requests that have none of their own. Default: those of ``TransferLimits``.
    public var limits: TransferLimits
    /// The limits of downloads that have none of their own. Default: 6 h and 16 GiB, so that in practice only the idle limit
    /// applies.
    public var mediaLimits: TransferLimits
    /// The maximum number of redirects of one request. Default 5.
    public var redirectLimit: Int
    /// The maximum time of all waits of one request: throttling, back-off, pacing. Default 5 min.
    public var longestWait: Duration
    /// The number of requests to one host that may be in flight at the same time. Default: adaptive.
    public var concurrency: Concurrency
    /// The `User-Agent` value. Default `mirror`.
    public var userAgent: String
    /// Decides which other hosts may be requested. Default: public ones.
    public var addressGuard: AddressGuard

    /// Creates settings.
    public init(
        clock: SessionClock = .system, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        limits: TransferLimits = TransferLimits(),
        mediaLimits: TransferLimits = TransferLimits(whole: .seconds(6 * 3600), body: 16 << 30),
        redirectLimit: Int = 5,
        longestWait: Duration = .seconds(300), concurrency: Concurrency = .adaptive,
        userAgent: String = "mirror",
        addressGuard: AddressGuard = AddressGuard()
    ) {
        self.clock = clock
        self.random = random
        self.limits = limits
        self.mediaLimits = mediaLimits
        self.redirectLimit = redirectLimit
        self.longestWait = longestWait
        self.concurrency = concurrency
        self.userAgent = userAgent
        self.addressGuard = addressGuard
    }
}

/// The session's clocks; tests and simulations pass their own.
public struct SessionClock: Sendable {
    /// The wall clock, used for HTTP dates.
    public var now: @Sendable () -> Date
    /// The monotonic time since a fixed instant, used for waits.
    public var elapsed: @Sendable () -> Duration
    /// Waits; throws `CancellationError` as soon as the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates clocks.
    public init(
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
    }

    /// The system's clocks.
    public static let system: SessionClock = {
        let start = ContinuousClock.now
        return SessionClock(
            now: { Date() }, elapsed: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0) })
    }()
}

/// Counts of what a session has done so far, exact at any moment.
public struct SessionStatistics: Sendable, Hashable {
    /// The number of sent requests, including repetitions, redirects and logins.
    public var sent = 0
    /// The number of 304 responses.
    public var notModified = 0
    /// The number of responses from the cache without a successful request.
    public var fromCache = 0
    /// The number of repetitions; they are included in ``sent``.
    public var retried = 0
    /// The maximum number of requests that were in flight to the session's origin at the same time.
    public var concurrency = 0
    /// The bytes received over the network, including failed transfers: ``jsonBytes`` plus ``mediaBytes``.
    public var bytesReceived: Int { jsonBytes + mediaBytes }
    /// The bytes received for JSON.
    public var jsonBytes = 0
    /// The bytes received for pictures and documents.
    public var mediaBytes = 0
    /// The time of waits for the server: throttling, back-off, a failing server.
    ///
    /// Overlapping waits count once; pacing isn't counted.
    public var waited: Duration = .zero

    /// Creates counts of zero.
    public init() {}

    mutating func received(_ bytes: Int, as kind: Request.Kind) {
        if kind == .media { mediaBytes += bytes } else { jsonBytes += bytes }
    }
}
