import Hummingbird

/// The headers of all pages.
enum PageHeaders {
    /// Nothing is fetched from elsewhere, no script or style is inline, and no page can be framed.
    static let policy = """
        default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; \
        frame-ancestors 'none'
        """

    private static let fields: [(String, String)] = [
        ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"),
    ]

    /// Adds the headers to an answer.
    static func add(to response: inout Response) {
        for (name, value) in fields {
            if let name = HTTPFields.Element.Name(name) { response.headers[name] = value }
        }
    }

    static let serverTiming = HTTPFields.Element.Name("Server-Timing")
    static let link = HTTPFields.Element.Name("Link")

    /// An answer of bytes with a media type and, if it may be cached, an entity tag.
    static func response(
        _ status: HTTPResponse.Status, _ body: String, type: String, etag: String? = nil,
        isPublic: Bool = false
    ) -> Response {
        var headers: HTTPFields = [.contentType: type]
        headers[.cacheControl] =
            isPublic ? "public, max-age=31536000, immutable" : etag == nil ? "no-store" : "no-cache"
        if let etag { headers[.eTag] = etag }
        var response = Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
        add(to: &response)
        return response
    }

    /// A redirection to a path of this server.
    static func redirect(_ status: HTTPResponse.Status, to path: String) -> Response {
        var response = Response(status: status, headers: [.location: path, .cacheControl: "no-store"])
        add(to: &response)
        return response
    }

    static func notModified(_ etag: String) -> Response {
        var response = Response(status: .notModified, headers: [.eTag: etag, .cacheControl: "no-cache"])
        response.headers[.contentLength] = nil
        add(to: &response)
        return response
    }
}
