import Foundation

/// The settings of a session.
public struct SessionConfiguration: Sendable {
    public var clock: SessionClock
    /// Uniform in `0..<1`; jitter is drawn from it.
    public var random: @Sendable () -> Double
    /// For requests without limits of their own. Default: ``TransferLimits``'s.
    public var limits: TransferLimits
    /// For downloads without limits of their own. Default: 6 h and 16 GiB, so that only the idle limit ends one.
    public var mediaLimits: TransferLimits
    /// Redirects followed for one request. Default 5.
    public var redirectLimit: Int
    /// All waits of one request together: throttling, back-off, pacing. Default 5 min.
    public var longestWait: Duration
    /// Default `mirror`.
    public var userAgent: String
    /// Decides which hosts beside the origin may be asked.
    public var addressGuard: AddressGuard

    public init(
        clock: SessionClock = .system, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        limits: TransferLimits = TransferLimits(),
        mediaLimits: TransferLimits = TransferLimits(whole: .seconds(6 * 3600), body: 16 << 30),
        redirectLimit: Int = 5,
        longestWait: Duration = .seconds(300), userAgent: String = "mirror",
        addressGuard: AddressGuard = AddressGuard()
    ) {
        self.clock = clock
        self.random = random
        self.limits = limits
        self.mediaLimits = mediaLimits
        self.redirectLimit = redirectLimit
        self.longestWait = longestWait
        self.userAgent = userAgent
        self.addressGuard = addressGuard
    }
}

/// The session's clocks; tests and simulations bring their own.
public struct SessionClock: Sendable {
    /// The wall clock: for HTTP dates.
    public var now: @Sendable () -> Date
    /// The time since a fixed moment, which never goes back: for waits.
    public var elapsed: @Sendable () -> Duration
    /// Waits; throws `CancellationError` as soon as the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

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

/// What a session has done so far; exact at any moment.
public struct SessionStatistics: Sendable, Hashable {
    /// Requests that went out: repetitions, redirects and logins included.
    public var sent = 0
    /// Answers that were a 304.
    public var notModified = 0
    /// Answers that the cache gave without a request.
    public var fromCache = 0
    /// Repetitions among ``sent``.
    public var retried = 0
    /// Bytes that came over the wire, broken transfers included: ``jsonBytes`` and ``mediaBytes`` together.
    public var bytesReceived: Int { jsonBytes + mediaBytes }
    public var jsonBytes = 0
    public var mediaBytes = 0
    /// Time in which anything waited because of the server: throttling, back-off, a server in trouble. Waits that overlap
    /// count once; pacing doesn't count.
    public var waited: Duration = .zero

    public init() {}

    mutating func received(_ bytes: Int, as kind: Request.Kind) {
        if kind == .media { mediaBytes += bytes } else { jsonBytes += bytes }
    }
}
