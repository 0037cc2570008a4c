import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Answers requests whose answer is there at once on the connection itself; all others go on to the HTTP library.
///
/// Most requests of a sync are for small objects, which take less time to read than a task takes to be handed a request and
/// to hand back its answer: a quarter of a server's time. Answers stay in the order of the requests: while one is answered
/// further on, those behind it are too. So are those of a client that doesn't take its answers, as only there it is waited
/// for, and those of one that sends very many at once, so that others have their turn.
///
/// All answers have their date from here: were it another clock's further on, a later answer could seem to be the older.
/// And as all requests and answers come by, the ``Connection`` is told of them, and what would follow the head of an answer
/// to `HEAD` ends here.
final class PromptHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The HTTP library ends a connection on which it has seen no request for some minutes, so it sees one now and then. It
    /// sees the first: only then it lets what was written go out before it closes.
    static let passing = TimeAmount.seconds(60)
    /// How long what was read in one go is answered here.
    static let turn = TimeAmount.milliseconds(2)

    private let answer: @Sendable (HTTPRequest) -> PlainAnswer?
    private let date: DateField
    private let connection: Connection
    /// The answer to a request that has not ended yet.
    private var waiting: PlainAnswer?
    /// When the first of the answers was asked for that are written and not sent.
    private var began: NIODeadline?
    /// When a request went on last.
    private var passed: NIODeadline?

    /// - Parameters:
    ///   - connections: where this one takes its place as long as it is open.
    ///   - answer: `nil` for a request that is to be answered further on.
    init(
        date: DateField, connections: OpenConnections,
        answer: @escaping @Sendable (HTTPRequest) -> PlainAnswer?
    ) {
        self.date = date
        self.answer = answer
        connection = Connection(among: connections)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        connection.opened(context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.closed()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .some(.inputClosed) { connection.inputEnded() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            waiting = mayAnswer(request, context) ? answer(request) : nil
            connection.headCame(isHeadOnly: request.method == .head)
            guard waiting == nil else { return }
            passed = context.eventLoop.now
            context.fireChannelRead(data)
        case .body:
            // A request that names no length has no body.
            if waiting == nil { context.fireChannelRead(data) }
        case .end:
            connection.requestEnded()
            guard let answer = waiting else { return context.fireChannelRead(data) }
            waiting = nil
            write(answer, to: context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if began != nil { context.flush() }
        began = nil
        connection.readCompleted()
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        connection.wrote()
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            head.headerFields[.date] = date.now()
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where connection.isNextHeadOnly:
            return writeNothing(to: context, promise)
        case .end:
            let isHeadOnly = connection.isNextHeadOnly
            connection.answered()
            // The library knows of no `HEAD`: it would end a body of unknown length, with bytes that the client takes for
            // the beginning of the next answer.
            if isHeadOnly { return writeNothing(to: context, promise) }
        default: break
        }
        context.write(data, promise: promise)
    }

    /// Keeps the promise in its turn.
    private func writeNothing(to context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        context.write(wrapOutboundOut(.body(ByteBuffer())), promise: promise)
    }

    private func mayAnswer(_ request: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
        let now = context.eventLoop.now
        guard connection.isIdle, context.channel.isWritable, let passed, now - passed < Self.passing,
            now - (began ?? now) < Self.turn
        else { return false }
        began = began ?? now
        // Nothing follows the head, and the connection stays.
        let fields = request.headerFields
        return fields[.contentLength] == nil && fields[.transferEncoding] == nil
            && fields[.connection] == nil && fields[.expect] == nil
    }

    private func write(_ answer: PlainAnswer, to context: ChannelHandlerContext) {
        var head = answer.head
        head.headerFields[.date] = date.now()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body = answer.body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        connection.wrote()
        connection.answered()
    }
}
