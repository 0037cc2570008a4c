/// How long a transfer may take and how large its body may be.
public struct TransferLimits: Sendable, Hashable {
    /// Until the connection (TLS included) stands. Default 10 s.
    public var connect: Duration
    /// Without a single byte either way. Default 30 s.
    public var idle: Duration
    /// From first to last. Default 5 min.
    public var whole: Duration
    /// Bytes of the decoded body; one more ends the transfer with ``TransportError/Code/bodyTooLarge``. Default 64 MiB.
    public var body: Int

    public init(
        connect: Duration = .seconds(10), idle: Duration = .seconds(30), whole: Duration = .seconds(300),
        body: Int = 64 << 20
    ) {
        self.connect = connect
        self.idle = idle
        self.whole = whole
        self.body = body
    }
}

/// Says when a transfer has idled, or lasted, too long; a value that is told the time.
///
/// Time spent in the queue counts for neither: the clock is made when the transfer begins. The idle time starts
/// when the connection stands (before that the connect limit rules), and stands still while the sink pauses.
struct TransferClock {
    typealias Instant = SuspendingClock.Instant

    private let limits: TransferLimits
    private let began: Instant
    private var lastByte: Instant?

    init(limits: TransferLimits, now: Instant) {
        self.limits = limits
        began = now
    }

    /// A byte went either way, or the connection came to stand.
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
