/// Sends requests to one origin, and applies every policy that a partner's server has a right to expect.
///
/// 1. `fetch` and `response` take a lean ``Request``, resolve it against the origin, and ask the cache (RFC 9111).
/// 2. What the cache can't answer goes through the interceptors, in order: login, throttling, retries, logging.
/// 3. The ``Transport`` moves the bytes; redirects are followed here, within the origin unless a request allows more.
/// 4. The answer is stored, merged (304) or invalidates what it must; statistics are exact at any moment.
///
/// Nothing here is global: a session belongs to one mirror. All waits are cancellable and on the injected clock.
/// The parts: `+Exchange` sends, `+Cache` decides what the cache answers, `+URLRequest` is the Foundation facade.
public final class InterceptableSession: Sendable {
    /// The origin's base, without a slash at its end; it usually ends in `/api/v1`.
    public let base: String
    /// What credentials are bound to.
    public let origin: Origin
    public let cache: CanonicalURLCache?
    public let configuration: SessionConfiguration

    let transport: any Transport
    let interceptors: [any Interceptor]
    let counter: StatisticsCounter
    let waits: WaitLedger
    let checkedHosts: CheckedHosts
    let revalidations: BackgroundRevalidations

    /// - Parameters:
    ///   - base: An absolute `http` or `https` URL without query, such as `https://example.org/api/v1`.
    ///   - cache: `nil` for none.
    ///   - interceptors: In the order in which they are asked; see ``Interceptor``.
    /// - Throws: ``HTTPError`` with code `invalidAddress`.
    public init(
        base: String, transport: any Transport, cache: CanonicalURLCache? = nil,
        interceptors: [any Interceptor] = [], configuration: SessionConfiguration = SessionConfiguration()
    ) throws {
        guard let address = WebAddress(base.trimmed), !address.target.contains("?") else {
            throw HTTPError(
                .invalidAddress,
                "That is no web address. Give one such as https://example.org/api/v1."
            )
        }
        var text = address.text
        while text.hasSuffix("/") { text.removeLast() }
        self.base = text
        self.origin = address.origin
        self.transport = transport
        self.cache = cache
        self.interceptors = interceptors
        self.configuration = configuration
        self.waits = WaitLedger(clock: configuration.clock)
        counter = StatisticsCounter()
        checkedHosts = CheckedHosts()
        revalidations = BackgroundRevalidations()
    }

    private init(_ other: InterceptableSession, waits: WaitLedger) {
        base = other.base
        origin = other.origin
        transport = other.transport
        cache = other.cache
        interceptors = other.interceptors
        configuration = other.configuration
        counter = other.counter
        checkedHosts = other.checkedHosts
        revalidations = other.revalidations
        self.waits = waits
    }

    /// The same session, its login and its counts, for one of several flows whose waits don't bound each other's.
    ///
    /// - Parameter limit: what the requests of this flow may wait, all together, as by ``limitWaits(to:)``.
    package func withOwnWaits(upTo limit: Duration) -> InterceptableSession {
        let waits = WaitLedger(clock: configuration.clock)
        waits.limit(to: limit)
        return InterceptableSession(self, waits: waits)
    }

    /// Counts since the session was made.
    public var statistics: SessionStatistics {
        var statistics = counter.snapshot
        let (tally, now) = waits.current
        statistics.waited = tally.waited(at: now)
        return statistics
    }

    /// Where a request goes.
    ///
    /// - Throws: ``HTTPError`` with code `invalidAddress` if that isn't a proper address.
    package func address(of target: Request.Target) throws -> WebAddress {
        let text: String
        switch target {
        case .relative(let tail):
            guard tail.isEmpty || tail.hasPrefix("/") || tail.hasPrefix("?") else { throw Self.invalid(tail) }
            text = base + tail
        case .beside(let tail):
            guard tail.hasPrefix("/") else { throw Self.invalid(tail) }
            text =
                (base.hasSuffix(Self.apiPath) ? String(base.dropLast(Self.apiPath.utf8.count)) : base) + tail
        case .absolute(let whole):
            text = whole
        }
        guard let address = WebAddress(text) else { throw Self.invalid(text) }
        return address
    }

    private static let apiPath = "/api/v1"

    private static func invalid(_ text: String) -> HTTPError {
        // What stands before an `@` may be a name and a password.
        if text.utf8.contains(UInt8(ascii: "@")) {
            return HTTPError(
                .invalidAddress, "That is no web address. Give one without a name and password in it.")
        }
        return HTTPError(
            .invalidAddress, "\(HTTPError.clean(String(text.prefix { $0 != "?" }))) is no web address.")
    }
}
