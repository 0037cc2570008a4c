import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import ServiceLifecycle

/// Accepts connections at an address and passes requests to a responder.
struct Listener<Responder: HTTPResponder>: Sendable where Responder.Context == CatalogueResponder.Context {
    let responder: Responder
    let host: String
    let port: Int
    /// The flag that sets the port, for the error message.
    let portFlag: String
    /// The maximum number of open connections.
    let connectionLimit: Int

    /// The maximum size of a request's line and headers in bytes. A larger head gets 400, and the connection is closed.
    private static var maximalHeadSize: Int { Destination.maximalLength + 32 * 1024 }

    /// The time after which an idle connection is closed.
    ///
    /// A connection is closed earlier if its client is too slow (``SlowClientWatch``) or at the limit (``OpenConnections``).
    private static var idleTimeout: TimeAmount { .minutes(5) }

    /// Serves until the task is cancelled. Then it has half a second to finish current answers, and returns.
    ///
    /// - Throws: ``ServerError`` if listening fails.
    func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        let connections = OpenConnections(limit: connectionLimit)
        var application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        ClosingHandler.Placer(), HEADHandler(), SlowClientHandler(connections),
                    ],
                    idleTimeout: Self.idleTimeout,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: Self.maximalHeadSize, maxHeaderListSize: Self.maximalHeadSize,
                        maxHeaderFieldCount: 200))),
            configuration: .init(address: .hostname(host, port: port), backlog: 1024),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) })
        application.logger.logLevel = .critical
        var configuration = ServiceGroupConfiguration(services: [application], logger: application.logger)
        // At a stop, idle connections are closed at once; current answers have half a second.
        configuration.maximumGracefulShutdownDuration = .milliseconds(500)
        let group = ServiceGroup(configuration: configuration)
        // An unstructured task isn't cancelled with the current task. The HTTP library traps if its server is cancelled
        // while accepted connections wait to be handled; a graceful shutdown handles them.
        let serving = Task { try await group.run() }
        do {
            try await withTaskCancellationHandler {
                try await serving.value
            } onCancel: {
                Task { await group.triggerGracefulShutdown() }
            }
        } catch {
            // After cancellation, the group reports an early or slow stop as an error, which isn't a failure.
            guard !Task.isCancelled else { return }
            throw ServerError(
                .cannotListen,
                "The server can't listen on port \(port) of \(host): another program may be using it. Choose another port with \(portFlag).",
                cause: "\(error)")
        }
    }

    /// Runs a server while `body` runs, then stops it.
    ///
    /// - Parameters:
    ///   - run: runs the server until its task is cancelled.
    ///   - body: called with the port.
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
}

/// Removes the body from answers to `HEAD` (RFC 9110, section 9.3.2).
///
/// For a body of unknown length, the HTTP library would send the final chunk. A client would read it as the beginning of
/// the next answer.
final class HEADHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For each request without a complete answer, in order: whether it is a `HEAD`.
    private var requests = CircularBuffer<Bool>()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { requests.append(head.method == .head) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isHEAD = requests.first ?? false
        switch unwrapOutboundIn(data) {
        case .head: return context.write(data, promise: promise)
        case .body: break
        case .end: _ = requests.popFirst()
        }
        // An empty part replaces the body, so that its promise succeeds in the order of the answers.
        context.write(isHEAD ? wrapOutboundOut(.body(ByteBuffer())) : data, promise: promise)
    }
}

/// Normalises `Connection: close`, so that the HTTP library closes the connection after the answer.
///
/// The library recognises `close` only in lower case, and keeps connections of HTTP/1.0 clients open, which read to the
/// end of the connection (RFC 9112, section 9.3).
final class ClosingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Inserts a ``ClosingHandler`` before the codec that converts requests to the library's types.
    ///
    /// The library itself can add handlers only behind the codec.
    final class Placer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                let handlers = context.pipeline.syncOperations
                let codec = try handlers.handler(type: HTTP1ToHTTPServerCodec.self)
                try handlers.addHandler(ClosingHandler(), position: .before(codec))
            } catch {
                context.fireErrorCaught(error)
            }
        }
    }
}
