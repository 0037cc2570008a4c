import NIOCore
import NIOHTTPTypes

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
