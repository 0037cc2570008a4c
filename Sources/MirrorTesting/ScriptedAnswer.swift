import MirrorHTTP

/// The answer of a scripted transport to one request: a response or a failure.
public struct ScriptedAnswer: Sendable {
    enum Body: Sendable {
        case whole([UInt8])
        /// A body that ends with an error after a number of bytes.
        case broken([UInt8], after: Int, TransportError)
        case failure(TransportError)
        /// A 304 if the request knows the entity tag; otherwise the body.
        case conditional([UInt8], etag: String)
    }

    var status: Int
    var headers: HeaderFields
    var body: Body

    /// A response. Default status: 200.
    public static func response(_ status: Int = 200, headers: HeaderFields = [:], body: [UInt8] = []) -> Self
    {
        Self(status: status, headers: headers, body: .whole(body))
    }

    /// A response with text as its body. Default content type: JSON.
    public static func text(
        _ text: String, status: Int = 200, etag: String? = nil, headers: HeaderFields = [:],
        contentType: String = "application/json"
    ) -> Self {
        var headers = headers
        headers["ETag"] = etag ?? headers["ETag"]
        headers["Content-Type"] = contentType
        return Self(status: status, headers: headers, body: .whole(Array(text.utf8)))
    }

    /// A response to a conditional request: 304 if `If-None-Match` contains the tag; otherwise 200 with the body.
    ///
    /// Tags are compared weakly (RFC 9110 section 13.1.2).
    public static func conditional(_ text: String, etag: String, headers: HeaderFields = [:]) -> Self {
        var headers = headers
        headers["ETag"] = etag
        return Self(status: 200, headers: headers, body: .conditional(Array(text.utf8), etag: etag))
    }

    /// A 304.
    public static func notModified(etag: String? = nil, headers: HeaderFields = [:]) -> Self {
        var headers = headers
        headers["ETag"] = etag ?? headers["ETag"]
        return Self(status: 304, headers: headers, body: .whole([]))
    }

    /// A transfer that fails without a response.
    public static func failure(_ code: TransportError.Code, mayHaveReachedServer: Bool = true) -> Self {
        Self(
            status: 0, headers: [:],
            body: .failure(
                TransportError(code, "scripted failure", mayHaveReachedServer: mayHaveReachedServer)))
    }

    /// A response whose body is cut off after `count` bytes.
    public static func truncated(
        _ body: [UInt8], after count: Int, status: Int = 200, headers: HeaderFields = [:],
        code: TransportError.Code = .truncatedBody
    ) -> Self {
        var headers = headers
        headers["Content-Length"] = headers["Content-Length"] ?? String(body.count)
        return Self(
            status: status, headers: headers,
            body: .broken(body, after: count, TransportError(code, "scripted break")))
    }
}
