import Synchronization

/// Sends requests to one origin: caches, logs in, slows down and repeats as the server wants it.
///
/// 1. `fetch` and `response` take a lean ``Request``, resolve it against the origin, and ask the cache (RFC 9111).
/// 2. What the cache can't answer goes through the interceptors, in order: logging, login, throttling, retries.
/// 3. The ``Transport`` moves the bytes; redirects are followed here, within the origin unless a request allows more.
/// 4. The answer is stored, merged (304) or invalidates what it must; statistics are exact at any moment.
///
/// Nothing here is global: a session belongs to one mirror. All waits are cancellable and on the injected clock.
/// The parts: `+Fetch` follows redirects to an answer, `+Cache` decides what the cache answers, `+Exchange` sends,
/// `+Waits` adds up the waits, `+URLRequest` is the Foundation facade.
public final class InterceptableSession: Sendable {
    /// The origin's base, without a slash at its end; it usually ends in `/api/v1`.
    public let base: String
    /// What credentials are bound to.
    public let origin: Origin
    /// The path of ``base``: empty, or with a slash at its beginning and none at its end.
    private let basePath: String
    public let cache: CanonicalURLCache?
    public let configuration: SessionConfiguration

    let transport: any Transport
    let interceptors: [any Interceptor]
    let waits: Mutex<WaitTally>
    private let shared: SharedState

    /// What all flows of one session have in common.
    private final class SharedState: Sendable {
        let statistics = Mutex(SessionStatistics())
        /// Hosts beside the origin that may be asked, and when they must be checked again.
        let allowedHosts = Mutex<[Origin: Duration]>([:])
    }

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
                .invalidAddress, "That is no web address. Give one such as https://example.org/api/v1.")
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
        waits = Mutex(WaitTally())
        shared = SharedState()
    }

    private init(_ other: InterceptableSession, waitLimit: Duration) {
        base = other.base
        basePath = other.basePath
        origin = other.origin
        transport = other.transport
        cache = other.cache
        interceptors = other.interceptors
        configuration = other.configuration
        waits = Mutex(WaitTally(limit: waitLimit))
        shared = other.shared
    }

    /// The same session, with its login and its counts, for a flow of requests whose waits have a limit of their own.
    ///
    /// - Parameter limit: how long the requests of this flow may wait in total, as with ``limitWaits(to:)``.
    package func withOwnWaits(upTo limit: Duration) -> InterceptableSession {
        InterceptableSession(self, waitLimit: limit)
    }

    /// Counts since the session was made.
    public var statistics: SessionStatistics {
        var statistics = shared.statistics.withLock { $0 }
        statistics.waited = waits.withLock { $0.waited(at: configuration.clock.elapsed()) }
        return statistics
    }

    func count(_ change: (inout SessionStatistics) -> Void) {
        shared.statistics.withLock { change(&$0) }
    }

    /// Checks an address before it is asked. A host's verdict holds for a minute: thousands of pictures may lie there.
    ///
    /// The transport resolves the name again by itself; ``ConnectionGuard`` checks that address.
    ///
    /// - Throws: ``HTTPError`` with code `forbiddenAddress`, or `unreachable` if the name doesn't resolve.
    func checkAddress(_ address: WebAddress) async throws {
        let target = address.origin
        guard target != origin else { return }
        let now = configuration.clock.elapsed()
        if shared.allowedHosts.withLock({ $0[target].map { $0 > now } ?? false }) { return }
        guard try await configuration.addressGuard.allows(target, for: origin) else {
            throw HTTPError(
                .forbiddenAddress,
                "\(target.display) is an address of this machine or its network; a public server's files are not fetched from there."
            )
        }
        shared.allowedHosts.withLock { hosts in
            if hosts.count >= 1000 { hosts = hosts.filter { $0.value > now } }
            if hosts.count < 1000 { hosts[target] = now + .seconds(60) }
        }
    }

    /// Where a request goes.
    ///
    /// - Throws: ``HTTPError`` with code `invalidAddress` if that isn't a proper address.
    package func address(of target: Request.Target) throws -> WebAddress {
        switch target {
        case .relative(let tail):
            guard tail.isEmpty || tail.hasPrefix("/") || tail.hasPrefix("?") else { throw Self.invalid(tail) }
            return try address(basePath + tail)
        case .beside(let tail):
            guard tail.hasPrefix("/") else { throw Self.invalid(tail) }
            let root = basePath.hasSuffix("/api/v1") ? String(basePath.dropLast(7)) : basePath
            return try address(root + tail)
        case .absolute(let whole):
            guard let address = WebAddress(whole) else { throw Self.invalid(whole) }
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
                .invalidAddress, "That is no web address. Give one without a name and password in it.")
        }
        return HTTPError(
            .invalidAddress, "\(HTTPError.clean(String(text.prefix { $0 != "?" }))) is no web address.")
    }
}
