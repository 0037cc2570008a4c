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

/// Decides whether a client is too slow: it owes the head of a request, or takes nothing of an answer.
///
/// Each connection is checked every ``interval``, and checks in a row with the same finding are counted. So a client isn't
/// taken for silent because the server stood still and couldn't read from it.
struct SlowClientWatch {
    static let interval = TimeAmount.seconds(10)
    /// Checks that may find a head missing: it has to be there within 30 to 40 seconds.
    static let headChecks = 3
    /// Checks between which nothing was sent: a client that reads nothing is closed after 60 to 70 seconds.
    static let stallChecks = 6
    /// Checks that may find bytes waiting for the client: six hours, as long as a client of this program waits for a file.
    static let sendingChecks = 2_160

    /// What is sent to the client.
    struct Sending: Equatable {
        /// Bytes that wait for the client.
        let unsent: Int
        /// How many parts of answers were written since the connection was opened.
        let parts: Int
    }

    /// Whether the head of the first request, or of a request that has begun, is missing.
    private var owesHead = true
    /// Between a request's head and its end.
    private var isInRequest = false
    /// Whether any part of a request came of what was read last.
    private var partCame = false
    private var last: Sending?
    private var timesOwing = 0
    private var timesStalled = 0
    private var timesSending = 0

    mutating func headCame() {
        owesHead = false
        isInRequest = true
        partCame = true
        timesOwing = 0
    }

    mutating func requestEnded() {
        isInRequest = false
        partCame = true
    }

    /// Bytes were read: if no part of a request came of them, a head has begun.
    mutating func readCompleted() {
        if !partCame, !isInRequest { owesHead = true }
        partCame = false
    }

    /// Called at each check.
    ///
    /// - Parameter isAnswering: whether an answer is due; meanwhile the next head may take its time.
    mutating func isTooSlow(isAnswering: Bool, _ sending: Sending) -> Bool {
        timesOwing = owesHead && !isAnswering ? timesOwing + 1 : 0
        timesSending = sending.unsent > 0 ? timesSending + 1 : 0
        timesStalled = sending.unsent > 0 && sending == last ? timesStalled + 1 : 0
        last = sending
        return timesSending >= Self.sendingChecks || timesStalled >= Self.stallChecks
            || timesOwing > Self.headChecks && sending.unsent == 0
    }
}
