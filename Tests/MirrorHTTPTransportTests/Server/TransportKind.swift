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
        case .curl: CurlTransport(.init(maxConnectionsPerHost: connections, addresses: addresses))
        case .urlSession: URLSessionTransport(maxConnectionsPerHost: connections, addresses: addresses)
        }
    }

    func lacks(_ gap: TransportGap) -> Bool {
        self == .urlSession && TransportGap.known.contains(gap)
    }

    /// Runs a check that may fail where the transport is known not to do this.
    func expecting(_ gap: TransportGap, _ check: () async -> Void) async {
        guard lacks(gap) else { return await check() }
        await withKnownIssue("\(gap)") { await check() }
    }
}

/// Something that a transport should do and ``URLSessionTransport`` can't, on some platform.
enum TransportGap: CaseIterable {
    /// A 401 with `WWW-Authenticate: Basic` is never answered.
    case basicChallenge
    /// A chunked body with trailer fields ends the process.
    case chunkedTrailers
    /// A slow sink doesn't slow the server; what has come waits in memory.
    case backpressure
    /// Connecting has no limit of its own; it counts as idling.
    case connectLimit
    /// Bodies are decoded even if the request names its own `Accept-Encoding`.
    case rawContentCoding
    /// Fields of one name are joined, and the order of lines is lost; in requests and responses.
    case headerLines
    /// Dot segments of the path are resolved.
    case pathAsIs
    /// A body that ends before its announced length is taken for a lost connection, or for complete.
    case truncatedBody
    /// A body in an unknown coding is taken for a lost connection.
    case badCoding
    /// A body that comes in a coding, though `identity` was asked for, is refused: Foundation has decoded it, and
    /// doesn't tell whether its end came.
    case unaskedCoding
    /// A failed TLS handshake is taken for a lost connection, so that the request may seem to have been sent.
    case handshakeFailure
    /// A header section of any size is read.
    case headerLimit
    /// Size on the wire isn't known for decoded bodies.
    case receivedBytes
    /// A request with a body, on a kept connection that the server closes just then, ends only by a limit.
    case unsafeOnStaleConnection
    /// Informational responses are taken for the final one, or their fields mixed into it.
    case informational

    /// What the conformance suite excuses on this platform.
    static var known: Set<TransportGap> {
        #if canImport(FoundationNetworking)
            Set(allCases)
        #else
            // The system's own loading; what its documentation and behaviour leave open.
            [
                .connectLimit, .rawContentCoding, .headerLines, .truncatedBody, .badCoding, .unaskedCoding,
                .headerLimit, .receivedBytes,
            ]
        #endif
    }
}

/// Runs a test against a server of its own, which ends with it.
func withServer<Result>(_ body: (LoopbackServer) async throws -> Result) async throws -> Result {
    let server = try LoopbackServer()
    defer { server.stop() }
    return try await body(server)
}

/// A sink that is told what to do with each piece.
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

/// The error that a send ends with.
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

    /// What has come so far; all of it once `send` has returned.
    var bytes: [UInt8] { collected.withLock { $0 } }

    func begin(_ response: TransportResponse) throws {
        collected.withLock { $0 = [] }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        collected.withLock { $0.append(contentsOf: bytes) }
    }
}

extension Transport {
    /// Sends a request and returns the head and the complete body, which is held in memory up to the body limit.
    func send(_ request: TransportRequest) async throws -> (TransportResponse, [UInt8]) {
        let sink = MemorySink()
        let response = try await send(request, into: sink)
        return (response, sink.bytes)
    }
}
