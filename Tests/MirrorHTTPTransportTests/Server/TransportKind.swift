import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// The transports that must pass the conformance suite.
enum TransportKind: String, CaseIterable, CustomTestStringConvertible {
    case curl, urlSession

    var testDescription: String { rawValue }

    func make(connections: Int = 16, addresses: AddressPolicy = .testing) -> any Transport {
        switch self {
        case .curl: CurlTransport(.init(maxRequestsPerHost: connections, addresses: addresses))
        case .urlSession: URLSessionTransport(maxConnectionsPerHost: connections, addresses: addresses)
        }
    }

    func lacks(_ gap: TransportGap) -> Bool {
        self == .urlSession && TransportGap.known.contains(gap)
    }

    /// Runs a check that is expected to fail if the transport has this limitation.
    func expecting(_ gap: TransportGap, _ check: () async -> Void) async {
        guard lacks(gap) else { return await check() }
        await withKnownIssue("\(gap)") { await check() }
    }
}

/// A limitation that ``URLSessionTransport`` has on some platform.
enum TransportGap: CaseIterable {
    /// A 401 with `WWW-Authenticate: Basic` never completes.
    case basicChallenge
    /// A chunked body with trailer fields terminates the process.
    case chunkedTrailers
    /// There is no backpressure: received data is kept in memory while a sink is slow.
    case backpressure
    /// There is no connect limit; connecting counts as idle time.
    case connectLimit
    /// Bodies are decoded even if the request has its own `Accept-Encoding`.
    case rawContentCoding
    /// Fields of the same name are joined, and the order of lines is lost, in requests and responses.
    case headerLines
    /// Dot segments of the path are resolved.
    case pathAsIs
    /// A body that is shorter than its `Content-Length` is reported as a lost connection, or accepted as complete.
    case truncatedBody
    /// A body in an unknown content coding is reported as a lost connection.
    case badCoding
    /// A body with a content coding is refused if `identity` was requested: Foundation decodes it without reporting
    /// whether it is complete.
    case unrequestedCoding
    /// A failed TLS handshake is reported as a lost connection, so that the request counts as possibly sent.
    case handshakeFailure
    /// The size of the header section isn't limited.
    case headerLimit
    /// The size of decoded bodies on the network isn't known.
    case receivedBytes
    /// A request with a body, on a reused connection that the server is closing, only ends by a time limit.
    case unsafeOnStaleConnection
    /// Informational responses are treated as the final one, or their fields are added to it.
    case informational

    /// The limitations that the conformance suite accepts on this platform.
    static var known: Set<TransportGap> {
        #if canImport(FoundationNetworking)
            Set(allCases)
        #else
            // Limitations of the system's URL loading.
            [
                .connectLimit, .rawContentCoding, .headerLines, .truncatedBody, .badCoding,
                .unrequestedCoding,
                .headerLimit, .receivedBytes,
            ]
        #endif
    }
}

/// Runs a test with its own server, which is stopped at the end.
func withServer<Result>(_ body: (LoopbackServer) async throws -> Result) async throws -> Result {
    let server = try LoopbackServer()
    defer { server.stop() }
    return try await body(server)
}

/// A sink that calls a closure for each piece.
final class ScriptedSink: BodySink {
    struct Refusal: Error, Equatable { let reason: String }

    private let onBegin: @Sendable (TransportResponse) throws -> Void
    private let onPiece: @Sendable (Int) throws -> Void
    private let seen = Mutex((begun: 0, bytes: 0))

    init(
        onBegin: @escaping @Sendable (TransportResponse) throws -> Void = { _ in },
        onPiece: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) {
        self.onBegin = onBegin
        self.onPiece = onPiece
    }

    var begun: Int { seen.withLock(\.begun) }
    var bytes: Int { seen.withLock(\.bytes) }

    func begin(_ response: TransportResponse) throws {
        seen.withLock { $0.begun += 1 }
        try onBegin(response)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        seen.withLock { $0.bytes += bytes.count }
        try onPiece(bytes.count)
    }
}

/// The error that sending throws.
func failure<Result>(_ send: () async throws -> Result) async -> TransportError? {
    do {
        _ = try await send()
        return nil
    } catch {
        return error as? TransportError
    }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Collects a body in memory.
final class MemorySink: BodySink {
    private let collected = Mutex<[UInt8]>([])

    init() {}

    /// The bytes received so far; complete when `send` has returned.
    var bytes: [UInt8] { collected.withLock { $0 } }

    func begin(_ response: TransportResponse) throws {
        collected.withLock { $0 = [] }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        collected.withLock { $0.append(contentsOf: bytes) }
    }
}

extension Transport {
    /// Sends a request and returns the head and the complete body, in memory.
    func send(_ request: TransportRequest) async throws -> (TransportResponse, [UInt8]) {
        let sink = MemorySink()
        let response = try await send(request, into: sink)
        return (response, sink.bytes)
    }
}
