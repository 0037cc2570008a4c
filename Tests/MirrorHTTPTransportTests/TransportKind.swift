import MirrorHTTP
import Synchronization
import Testing

/// The transports that must pass the conformance suite.
enum TransportKind: String, CaseIterable, CustomTestStringConvertible {
    case curl, urlSession

    var testDescription: String { rawValue }

    func make(connections: Int = 16, addresses: AddressPolicy = .tests) -> any Transport {
        switch self {
        case .curl: CurlTransport(.init(maxConnectionsPerHost: connections, addresses: addresses))
        case .urlSession: URLSessionTransport(maxConnectionsPerHost: connections, addresses: addresses)
        }
    }

    func lacks(_ gap: URLSessionTransport.Gap) -> Bool {
        self == .urlSession && URLSessionTransport.knownGaps.contains(gap)
    }

    /// Runs a check that may fail where the transport is known not to do this.
    func expecting(_ gap: URLSessionTransport.Gap, _ check: () async -> Void) async {
        guard lacks(gap) else { return await check() }
        await withKnownIssue("\(gap)") { await check() }
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
