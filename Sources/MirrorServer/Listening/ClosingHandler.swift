import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

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
