import Synchronization

/// Sends requests to one origin, with caching, login, throttling and retries.
///
/// 1. ``fetch(_:known:)`` and `response(for:)` resolve a ``Request`` against the origin, and consult the cache
///    (RFC 9111).
/// 2. Requests that the cache can't answer pass through the interceptors in order: logging, login, throttling, retries.
/// 3. The ``Transport`` sends the request and receives the response. The session follows redirects, within the origin unless
///    a request allows other hosts.
/// 4. The cache stores the response, updates its entry (304), or removes invalidated entries.
///
/// A session belongs to one mirror and has no global state. All waits are cancellable and use the injected clock.
///
/// Its extensions: `+Fetch` follows redirects, `+Cache` consults and updates the cache, `+Exchange` sends requests, `+Waits`
/// adds up waits, `+URLRequest` is the interface for Foundation's types.
public final class InterceptableSession: Sendable {
    /// The origin's base, without a trailing slash; it usually ends in `/api/v1`.
    public let base: String
    /// Scheme, host and port of ``base``. Credentials are only sent to this origin.
    public let origin: Origin
    /// The path of ``base``: empty, or with a leading slash and without a trailing one.
    private let basePath: String
    /// The cache; `nil` if the session has none.
    public let cache: CanonicalURLCache?
    /// The settings of the session.
    public let configuration: SessionConfiguration

    let transport: any Transport
    let interceptors: [any Interceptor]
    /// The rules of a described catalogue; `nil` if there are none.
    let rules: HostRules?
    let waits: Mutex<WaitTally>
    private let shared: SharedState

    /// The state that a session shares with its ``withSeparateWaits(upTo:)`` copies.
    private final class SharedState: Sendable {
        let statistics = Mutex(SessionStatistics())
        let gate: ConcurrencyGate
        let sending = SendingStop()
        /// Other hosts that may be requested, and when they must be checked again.
        let allowedHosts = Mutex<[Origin: Duration]>([:])

        init(_ concurrency: Concurrency) { gate = ConcurrencyGate(concurrency) }
    }

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - base: An absolute `http` or `https` URL without a query, such as `https://example.org/api/v1`.
    ///   - transport: Sends the requests.
    ///   - cache: `nil`, the default, for no cache.
    ///   - interceptors: In calling order; see ``Interceptor``. Default: none.
    ///   - configuration: The settings.
    /// - Throws: ``HTTPError`` with code `invalidAddress`.
    public init(
        base: String, transport: any Transport, cache: CanonicalURLCache? = nil,
        interceptors: [any Interceptor] = [], configuration: SessionConfiguration = SessionConfiguration()
    ) throws {
        guard let address = WebAddress(base.trimmed), !address.target.contains("?") else {
            throw HTTPError(
                .invalidAddress,
                "The address isn't a web address. Give one such as https://example.org/api/v1.")
        }
        var path = address.target
        while path.hasSuffix("/") { path.removeLast() }
        self.basePath = path
        self.base = address.origin.text + path
        self.origin = address.origin
        self.transport = transport
        self.cache = cache
        self.interceptors = interceptors
        self.configuration = configuration
        rules = nil
        waits = Mutex(WaitTally())
        shared = SharedState(configuration.concurrency)
    }

    private init(_ other: InterceptableSession, waitLimit: Duration) {
        base = other.base
        basePath = other.basePath
        origin = other.origin
        transport = other.transport
        cache = other.cache
        interceptors = other.interceptors
        configuration = other.configuration
        rules = other.rules
        waits = Mutex(WaitTally(limit: waitLimit))
        shared = other.shared
    }

    /// A session for the same origin, with the same transport, cache and limit of waits, and statistics of its own.
    init(
        _ other: InterceptableSession, interceptors: [any Interceptor], configuration: SessionConfiguration,
        rules: HostRules
    ) {
        base = other.base
        basePath = other.basePath
        origin = other.origin
        transport = other.transport
        cache = other.cache
        self.interceptors = interceptors
        self.configuration = configuration
        self.rules = rules
        waits = Mutex(WaitTally(limit: other.waits.withLock { $0.limit }))
        shared = SharedState(configuration.concurrency)
    }

    /// A copy that shares the login and the statistics, but has its own limit of waits.
    ///
    /// - Parameter limit: The total time that requests of the copy may wait, as with ``limitWaits(to:)``.
    package func withSeparateWaits(upTo limit: Duration) -> InterceptableSession {
        InterceptableSession(self, waitLimit: limit)
    }

    /// What the session has done since it was created.
    public var statistics: SessionStatistics {
        var statistics = shared.statistics.withLock { $0 }
        statistics.concurrency = gate.reached(origin)
        statistics.waited = waits.withLock { $0.waited(at: configuration.clock.elapsed()) }
        return statistics
    }

    /// The number of requests that a long run is likely to have in flight to the origin.
    package var expectedConcurrency: Int { gate.expected(origin) }

    /// Bounds the number of requests in flight to each host.
    var gate: ConcurrencyGate { shared.gate }

    /// Ends the sending of requests.
    var sending: SendingStop { shared.sending }

    func count(_ change: (inout SessionStatistics) -> Void) {
        shared.statistics.withLock { change(&$0) }
    }

    /// Checks an address before it is requested.
    ///
    /// An allowed host isn't checked again for a minute, because it may have thousands of pictures. The transport resolves the
    /// host name again; ``ConnectionGuard`` checks that result.
    ///
    /// - Parameter redirect: The address that redirected to it; `nil`, the default, if there is none.
    /// - Throws: ``HTTPError`` with code `forbiddenAddress`, or `unreachable` if the name doesn't resolve.
    func checkAddress(_ address: WebAddress, redirectedFrom redirect: WebAddress? = nil) async throws {
        let target = address.origin
        guard target != origin else { return }
        try checkHost(of: address, redirectedFrom: redirect)
        let now = configuration.clock.elapsed()
        if shared.allowedHosts.withLock({ $0[target].map { $0 > now } ?? false }) { return }
        guard try await configuration.addressGuard.allows(target, for: origin) else {
            throw HTTPError(
                .forbiddenAddress,
                "\(target.display) was not requested, because it is an address of this machine or a private network, and the server is public. Report it to the server's owner."
            )
        }
        shared.allowedHosts.withLock { hosts in
            if hosts.count >= 1000 { hosts = hosts.filter { $0.value > now } }
            if hosts.count < 1000 { hosts[target] = now + .seconds(60) }
        }
    }

    /// The address of a request, without the key of a described catalogue.
    ///
    /// - Throws: ``HTTPError`` with code `invalidAddress` if the target isn't valid.
    package func address(of target: Request.Target) throws -> WebAddress {
        try withoutKey(writtenAddress(of: target))
    }

    private func writtenAddress(of target: Request.Target) throws -> WebAddress {
        switch target {
        case .relative(let tail):
            guard tail.isEmpty || tail.hasPrefix("/") || tail.hasPrefix("?") else { throw Self.invalid(tail) }
            return try address(basePath + tail)
        case .beside(let tail):
            guard tail.hasPrefix("/") else { throw Self.invalid(tail) }
            let root = basePath.hasSuffix("/api/v1") ? String(basePath.dropLast(7)) : basePath
            return try address(root + tail)
        case .absolute(let text):
            guard let address = WebAddress(text) else { throw Self.invalid(text) }
            return address
        }
    }

    /// The address of a path and query at the origin.
    private func address(_ target: String) throws -> WebAddress {
        guard let clean = WebAddress.encoded(target) else { throw Self.invalid(target) }
        return WebAddress(origin: origin, target: clean.hasPrefix("/") ? clean : "/" + clean)
    }

    private static func invalid(_ text: String) -> HTTPError {
        // The text before an `@` may be a name and a password.
        if text.utf8.contains(UInt8(ascii: "@")) {
            return HTTPError(
                .invalidAddress,
                "The address isn't a web address without credentials. Remove the name and password from it.")
        }
        return HTTPError(
            .invalidAddress,
            "\(HTTPError.clean(String(text.prefix { $0 != "?" }))) isn't a web address. Check it.")
    }
}
