import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
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
        // Idle connections are closed at once when it stops; answers under way have half a second.
        configuration.maximumGracefulShutdownDuration = .milliseconds(500)
        let group = ServiceGroup(configuration: configuration)
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
            guard !Task.isCancelled else { return }
            throw ServerError(
                .cannotListen,
                "Port \(port) of \(host) can't be listened on: another program may have it. Choose another with \(portFlag).",
                cause: "\(error)")
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
}

/// Ends an answer to `HEAD` with its head (RFC 9110, section 9.3.2).
///
/// The HTTP library would end a body of unknown length with bytes that the client takes for the beginning of the next answer.
final class HEADHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Of each request whose answer was not written to its end, in order: whether it is a `HEAD`.
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
        // An empty part is written instead of the body: its promise succeeds in the order of the answers.
        context.write(isHEAD ? wrapOutboundOut(.body(ByteBuffer())) : data, promise: promise)
    }
}

/// Tells the HTTP library in its own words that a client wants its connection closed behind the answer.
///
/// The library knows the word `close` in small letters alone, and takes an HTTP/1.0 client, which reads to the end of the
/// connection, for one of HTTP/1.1 (RFC 9112, section 9.3).
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

    /// Puts one where requests are not yet in the library's own types: the library itself adds handlers only behind that.
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
