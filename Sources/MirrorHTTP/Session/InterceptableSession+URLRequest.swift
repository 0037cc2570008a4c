import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The interface for apps that use Foundation's `URLRequest`.
extension InterceptableSession {
    /// Sends a request with caching, login, throttling and retries, and returns the response with any status.
    ///
    /// - The `X-Cache` field of the response tells its source: `hit`, `revalidated`, `miss` or `stale`
    ///   (``ResponseHead/Source``). It replaces a server's own field.
    /// - The request's `cachePolicy` is honoured. The policies that ignore local data send a request that the server may
    ///   answer by confirming the stored entry.
    /// - `timeoutInterval` is the idle limit.
    /// - `httpBodyStream` is refused, because a stream can't be read again when the request is repeated.
    ///
    /// - Throws: ``HTTPError`` if there is no response; `CancellationError`.
    public func response(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url else {
            throw HTTPError(.invalidAddress, "The request has no URL. Set one.")
        }
        guard request.httpBody != nil || request.httpBodyStream == nil else {
            throw HTTPError(
                .invalidRequest,
                "The request's body is a stream, which can't be sent twice. Set httpBody instead."
            )
        }
        let response = try await response(for: Request(request, url: url, limits: configuration.limits))
        var headers = response.headers
        headers["X-Cache"] = response.source.rawValue
        let fields = headers.lines.map { ($0.name, headers[$0.name] ?? $0.value) }
        guard
            let head = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
                headerFields: Dictionary(fields) { joined, _ in joined })
        else {
            throw HTTPError(.badResponse, "The server's answer has a status that Foundation can't express.")
        }
        return (Data(response.body), head)
    }
}

extension Request {
    init(_ request: URLRequest, url: URL, limits: TransferLimits) {
        var headers = HeaderFields((request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key })
        let type = headers["Content-Type"]
        headers["Content-Type"] = nil
        var cache = CacheUse.use
        switch request.cachePolicy {
        case .useProtocolCachePolicy: break
        case .returnCacheDataElseLoad: headers["Cache-Control"] = headers["Cache-Control"] ?? "max-stale"
        case .returnCacheDataDontLoad: headers["Cache-Control"] = "only-if-cached, max-stale"
        default: cache = .noCache
        }
        var limits = limits
        // Apps write "no limit" as infinity or a very large number; 0 means the default.
        let idle = request.timeoutInterval
        if idle > 0 { limits.idle = idle < 1e9 ? .seconds(idle) : limits.whole }
        self.init(
            method: request.httpMethod ?? "GET", .absolute(url.absoluteString), headers: headers,
            body: request.httpBody.map { Array($0) }, contentType: type, limits: limits, cache: cache)
    }
}
