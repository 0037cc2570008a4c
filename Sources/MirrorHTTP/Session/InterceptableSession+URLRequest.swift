import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The Foundation facade, for apps that speak `URLRequest`.
extension InterceptableSession {
    /// Sends a request with caching, login, throttling and retries applied; the answer may have any status.
    ///
    /// The `X-Cache` field says where the answer came from, in place of a server's own: `hit`, `revalidated`,
    /// `miss` or `stale`. A request's `cachePolicy` is honoured; the two policies that ignore local data are read as
    /// "ask the origin, which may confirm what is stored". `timeoutInterval` is the idle limit; `httpBodyStream` is
    /// refused, as a repetition couldn't read it again.
    ///
    /// - Throws: ``HTTPError`` if there is no answer, `CancellationError`.
    public func response(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url else {
            throw HTTPError(.invalidAddress, "The request has no address. Give it one.")
        }
        guard request.httpBody != nil || request.httpBodyStream == nil else {
            throw HTTPError(
                .invalidRequest, "The request's body is a stream, which can't be sent twice. Give it as data."
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
        // Foundation's apps write "never" as infinity or a very large number; 0 is no time at all.
        let idle = request.timeoutInterval
        if idle > 0 { limits.idle = idle < 1e9 ? .seconds(idle) : limits.whole }
        self.init(
            method: request.httpMethod ?? "GET", .absolute(url.absoluteString), headers: headers,
            body: request.httpBody.map { Array($0) }, contentType: type, limits: limits, cache: cache)
    }
}
