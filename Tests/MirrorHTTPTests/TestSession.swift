import MirrorHTTP
import MirrorTesting

/// A session under test, with its scripted transport and its clock.
struct TestSession {
    static let base = "http://origin.test/api/v1"

    let transport: ScriptedTransport
    let clock: VirtualClock
    let session: InterceptableSession

    init(
        base: String = TestSession.base, clock: VirtualClock = VirtualClock(.jumping), random: Double = 0.5,
        longestWait: Duration = .seconds(300), concurrency: Concurrency = .adaptive,
        cache: CanonicalURLCache? = nil,
        addresses: [String: [String]] = [:], interceptors: [any Interceptor] = [],
        handler: @escaping ScriptedTransport.Handler = { _ in nil }
    ) throws {
        transport = ScriptedTransport(base: base, pieceLength: 7, handler: handler)
        self.clock = clock
        let configuration = SessionConfiguration(
            clock: clock.sessionClock, random: { random }, longestWait: longestWait,
            concurrency: concurrency,
            addressGuard: AddressGuard { host in
                guard let found = addresses[host] else { throw UnknownHost() }
                return found
            })
        session = try InterceptableSession(
            base: base, transport: transport, cache: cache, interceptors: interceptors,
            configuration: configuration)
    }

    struct UnknownHost: Error {}
}

/// A file that a test downloads.
struct TestFile: DataOperation {
    let endpoint: Request.Target
    let knownETag: String?

    init(_ path: String, known: String? = nil) { (endpoint, knownETag) = (.relative(path), known) }
}

/// The error's code, if the expression throws an ``HTTPError``.
func httpError(_ work: () async throws -> Void) async throws -> HTTPError? {
    do {
        try await work()
        return nil
    } catch let error as HTTPError {
        return error
    }
}
