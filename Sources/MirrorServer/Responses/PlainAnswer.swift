import Hummingbird

/// A whole answer that is in memory.
struct PlainAnswer: Sendable {
    var head: HTTPResponse
    /// `nil` where an answer has none, which is not the same as an empty one.
    let body: ByteBuffer?

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, body: ByteBuffer?) {
        head = HTTPResponse(status: status, headerFields: fields)
        self.body = body
        if let body { head.headerFields[.contentLength] = String(body.readableBytes) }
    }

    var response: Response {
        guard let body else {
            var response = Response(status: head.status, headers: head.headerFields)
            // RFC 9110 section 8.6: a 304's length would be that of the body that isn't sent.
            response.headers[.contentLength] = nil
            return response
        }
        return Response(
            status: head.status, headers: head.headerFields, body: ResponseBody(byteBuffer: body))
    }
}
