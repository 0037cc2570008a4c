import Hummingbird
import NIOCore
import ServiceLifecycle

/// Takes connections at an address and hands requests to a responder.
struct Listener<Responder: HTTPResponder>: Sendable where Responder.Context == CatalogueResponder.Context {
    let responder: Responder
    let host: String
    let port: Int
    /// Names the flag with which a person chooses another port.
    let portFlag: String
    /// More are never open at a time.
    let connectionLimit: Int

    /// Bytes of a request's line and headers; a longer one is answered with 400 and the end of the connection.
    private static var maximalHeadSize: Int { Destination.maximalLength + 32 * 1024 }

    /// A connection without a request is kept for so long. One that owes a request's head ends before (``SlowClientWatch``),
    /// and so does one whose place is needed (``OpenConnections``).
    private static var idleTimeout: TimeAmount { .minutes(5) }

    /// Serves until the task is cancelled; then answers under way are finished, and it returns within a second.
    ///
    /// - Throws: ``ServerError`` if it can't listen.
    func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        let connections = OpenConnections(limit: connectionLimit)
        let handlers: @Sendable () -> [any RemovableChannelHandler] = {
            [ClosingHandler.Placer(), HEADHandler(), SlowClientHandler(connections)]
        }
        var application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: handlers(),
                    idleTimeout: Self.idleTimeout,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: Self.maximalHeadSize, maxHeaderListSize: Self.maximalHeadSize,
                        maxHeaderFieldCount: 200))),
            configuration: .init(address: .hostname(host, port: port), backlog: 1024),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) })
        application.logger.logLevel = .critical
        let group = Self.serviceGroup(application)
        // A task of its own, so that cancelling this one doesn't reach it: the HTTP library traps when its server is
        // cancelled while connections that it has accepted wait to be handled. Shut down gracefully it handles them.
        let serving = Task { try await group.run() }
        do {
            try await withTaskCancellationHandler {
                try await serving.value
            } onCancel: {
                Task { await group.triggerGracefulShutdown() }
            }
        } catch {
            // A group that was stopped before, or slower than, it should have been says so; that is no failure.
            guard Task.isCancelled else { throw cannotListen(error) }
        }
    }

    /// Serves while `body` runs, and stops with it.
    ///
    /// - Parameter body: is given the port.
    static func whileRunning<Result: Sendable>(
        _ run:
            @escaping @Sendable (_ onListening: @escaping @Sendable (Int) async -> Void) async throws ->
            Void,
        _ body: @Sendable (_ port: Int) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (ports, listening) = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                defer { listening.finish() }
                try await run { listening.yield($0) }
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.next()
                throw CancellationError()
            }
            let result = try await body(port)
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    /// Idle connections are closed at once when it stops; answers under way have half a second.
    private static func serviceGroup(_ application: Application<Responder>) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(services: [application], logger: application.logger)
        configuration.maximumGracefulShutdownDuration = .milliseconds(500)
        return ServiceGroup(configuration: configuration)
    }

    private func cannotListen(_ error: any Error) -> ServerError {
        ServerError(
            .cannotListen,
            "Port \(port) of \(host) can't be listened on: another program may have it. Choose another with \(portFlag).",
            cause: "\(error)")
    }
}
