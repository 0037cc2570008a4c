/// What a session is given beside its transport, cache and interceptors.
public struct SessionConfiguration: Sendable {
    public var clock: SessionClock
    /// Uniform in `0..<1`; jitter is drawn from it.
    public var random: @Sendable () -> Double
    /// For requests that bring none of their own. Default: ``TransferLimits``'s.
    public var limits: TransferLimits
    /// For downloads that bring none of their own. Default: 6 h and 16 GiB, so that only idling ends one.
    public var mediaLimits: TransferLimits
    /// Redirects followed for one request. Default 5.
    public var redirectLimit: Int
    /// All waits of one request together: throttling, back-off, pacing. Default 5 min.
    public var longestWait: Duration
    /// Default `mirror`.
    public var userAgent: String
    /// Whether `stale-while-revalidate` answers from the cache and validates afterwards. Default: no; who mirrors wants
    /// what is current. See ``InterceptableSession/finishRevalidations()``.
    public var revalidatesInBackground = false
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
