import MirrorHTTP

/// What a scripted transport does with one request.
public struct ScriptedAnswer: Sendable {
    enum Body: Sendable {
        case whole([UInt8])
        /// Breaks off after so many bytes.
        case broken([UInt8], after: Int, TransportError)
        case failure(TransportError)
        /// A 304 for a request that knows the tag, else the body.
        case conditional([UInt8], etag: String)
    }

    var status: Int
    var headers: HeaderFields
    var body: Body

    /// A response with that status.
    public static func response(_ status: Int = 200, headers: HeaderFields = [:], body: [UInt8] = []) -> Self
    {
        Self(status: status, headers: headers, body: .whole(body))
    }

    /// A response with text as its body; JSON by default.
    public static func text(
        _ text: String, status: Int = 200, etag: String? = nil, headers: HeaderFields = [:],
        contentType: String = "application/json"
    ) -> Self {
        var headers = headers
        headers["ETag"] = etag ?? headers["ETag"]
        headers["Content-Type"] = contentType
        return Self(status: status, headers: headers, body: .whole(Array(text.utf8)))
    }

    /// 304 if the request's `If-None-Match` names the tag (weakly), else 200 with the body: as a server does it.
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

    /// No response at all.
    public static func failure(_ code: TransportError.Code, mayHaveReachedServer: Bool = true) -> Self {
        Self(
            status: 0, headers: [:],
            body: .failure(
                TransportError(code, "scripted failure", mayHaveReachedServer: mayHaveReachedServer)))
    }

    /// A response whose body ends too early: after `count` bytes.
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
