import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client is too slow (``SlowClientWatch``), and reports to ``OpenConnections`` when it is idle.
///
/// A connection that waits for its next request is closed by Hummingbird's `idleTimeout`.
final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: OpenConnections
    private var watch = SlowClientWatch()
    /// Requests whose answers were not written to their end.
    private var requests = 0
    /// Parts of answers that were written.
    private var parts = 0
    private var check: Scheduled<Void>?

    init(_ connections: OpenConnections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        scheduleCheck(context)
        context.fireChannelActive()
        connections.add(context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        connections.remove(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            requests += 1
            watch.headCame()
            connections.set(context.channel, isIdle: false)
        case .body: break
        case .end: watch.requestEnded()
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        watch.readCompleted()
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        parts += 1
        // The HTTP library answers malformed requests by itself: they were not counted.
        guard case .end = unwrapOutboundIn(data), requests > 0 else {
            return context.write(data, promise: promise)
        }
        requests -= 1
        let sent = promise ?? context.eventLoop.makePromise()
        let channel = context.channel
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            if requests == 0 { connections.set(channel, isIdle: true) }
        }
        context.write(data, promise: sent)
    }

    private func scheduleCheck(_ context: ChannelHandlerContext) {
        check = context.eventLoop.assumeIsolated().scheduleTask(in: SlowClientWatch.interval) { [self] in
            let unsent = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
            if watch.isTooSlow(isAnswering: requests > 0, .init(unsent: unsent ?? 0, parts: parts)) {
                context.close(promise: nil)
            } else {
                scheduleCheck(context)
            }
        }
    }
}
