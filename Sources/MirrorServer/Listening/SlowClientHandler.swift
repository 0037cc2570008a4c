import NIOCore
import NIOHTTPTypes

/// Closes the connection if its client is too slow (``SlowClientWatch``), and reports to ``OpenConnections`` when it is idle.
///
/// Hummingbird's `idleTimeout` closes connections between two requests.
final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: OpenConnections
    private var watch = SlowClientWatch()
    /// The number of requests without a complete answer.
    private var requests = 0
    /// The number of parts of answers written so far.
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
            watch.headReceived()
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
        // The HTTP library answers malformed requests itself, and they were not counted.
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

/// Decides whether a client is too slow: the head of its request is overdue, or it doesn't read the answer.
///
/// Each connection is checked every ``interval``, and consecutive checks with the same result are counted. Elapsed time
/// isn't measured, because the server itself may have been suspended.
struct SlowClientWatch {
    static let interval = TimeAmount.seconds(10)
    /// The number of checks that may find an incomplete head: it has to arrive within 30 to 40 seconds.
    static let headChecks = 3
    /// The number of intervals without progress: a connection whose client reads nothing is closed after 60 to 70 seconds.
    static let stallChecks = 6
    /// The number of checks that may find unsent bytes without a pause: six hours, the time that `mirror` waits for a file.
    static let sendingChecks = 2_160

    /// The progress of sending answers.
    struct Sending: Equatable {
        /// The number of bytes that wait to be sent.
        let unsent: Int
        /// The number of parts of answers written since the connection was opened.
        let parts: Int
    }

    /// Whether the head of the first request, or of a request that has begun, is incomplete.
    private var isHeadMissing = true
    /// Whether a request's head was received, but not its end.
    private var isInRequest = false
    /// Whether the bytes read last contained a complete part of a request.
    private var partReceived = false
    private var last: Sending?
    private var timesHeadMissing = 0
    private var timesStalled = 0
    private var timesSending = 0

    mutating func headReceived() {
        isHeadMissing = false
        isInRequest = true
        partReceived = true
        timesHeadMissing = 0
    }

    mutating func requestEnded() {
        isInRequest = false
        partReceived = true
    }

    /// Called after bytes were read. If they contained no complete part of a request, a new head has begun.
    mutating func readCompleted() {
        if !partReceived, !isInRequest { isHeadMissing = true }
        partReceived = false
    }

    /// Updates the counts and decides. Called once for each check.
    ///
    /// - Parameter isAnswering: whether an answer is incomplete; until then, the next head is not expected.
    mutating func isTooSlow(isAnswering: Bool, _ sending: Sending) -> Bool {
        timesHeadMissing = isHeadMissing && !isAnswering ? timesHeadMissing + 1 : 0
        timesSending = sending.unsent > 0 ? timesSending + 1 : 0
        timesStalled = sending.unsent > 0 && sending == last ? timesStalled + 1 : 0
        last = sending
        return timesSending >= Self.sendingChecks || timesStalled >= Self.stallChecks
            || timesHeadMissing > Self.headChecks && sending.unsent == 0
    }
}
