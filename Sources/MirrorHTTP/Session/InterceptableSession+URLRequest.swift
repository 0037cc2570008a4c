import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The Foundation facade, for apps that speak `URLRequest`.
extension InterceptableSession {
    /// Sends a request with caching, login, throttling and retries applied; the answer may have any status.
    ///
    /// Where the answer came from stands in its `X-Cache` field, in place of a server's: `hit`, `revalidated`,
    /// `miss` or `stale`. A request's `cachePolicy` is honoured; the two policies that ignore local data are read as
    /// "ask the origin, which may confirm what is stored". `timeoutInterval` is the idle limit; `httpBodyStream` isn't
    /// taken, as a repetition couldn't read it again.
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
        var fields: [String: String] = [:]
        for line in response.headers.lines where fields[line.name] == nil {
            fields[line.name] = response.headers[line.name]
        }
        for name in fields.keys where HeaderFields.same(name, "X-Cache") { fields[name] = nil }
        fields["X-Cache"] = response.source.cacheWord
        guard
            let head = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else {
            throw HTTPError(.badResponse, "The server's answer has a status that Foundation can't express.")
        }
        return (Data(response.body), head)
    }
}

extension ResponseHead.Source {
    /// As `X-Cache` fields have it.
    public var cacheWord: String {
        switch self {
        case .network: "miss"
        case .revalidated: "revalidated"
        case .fresh: "hit"
        case .stale: "stale"
        }
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
        limits.idle = Self.idle(request.timeoutInterval, limits)
        self.init(
            method: request.httpMethod ?? "GET", .absolute(url.absoluteString), headers: headers,
            body: request.httpBody.map { Array($0) }, contentType: type, limits: limits, cache: cache)
    }

    /// Foundation's apps write "never" as infinity or a very large number; 0 is no time at all.
    private static func idle(_ interval: Double, _ limits: TransferLimits) -> Duration {
        guard interval > 0 else { return limits.idle }
        return interval < 1e9 ? .seconds(interval) : limits.whole
    }
}
