import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CanonicalURLCache {
    /// What a lookup needs of a request; `nil` for one that isn't a `GET` of a URL.
    func parts(of request: URLRequest) -> (url: URL, key: String, headers: HeaderFields)? {
        guard let url = request.url, (request.httpMethod ?? "GET") == "GET" else { return nil }
        let headers = HeaderFields((request.allHTTPHeaderFields ?? [:]).lazy.map { ($0.key, $0.value) })
        return (url, key(for: url.absoluteString), headers)
    }

    func entry(_ cached: CachedURLResponse, key: String, request: HeaderFields) -> CacheEntry? {
        guard let response = cached.response as? HTTPURLResponse, response.statusCode != 206,
            response.statusCode != 304
        else { return nil }
        let headers = HeaderFields(
            response.allHeaderFields.compactMap { name, value in
                (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
            })
        guard let vary = VaryKey(response: headers, request: request) else { return nil }
        let time = now()
        return CacheEntry(
            key: key, status: response.statusCode, headers: StoredHeaders.withoutCookies(headers),
            body: [UInt8](cached.data), requestTime: time, responseTime: time, vary: vary)
    }

    static func response(_ entry: CacheEntry, url: URL) -> CachedURLResponse? {
        var fields: [String: String] = [:]
        for line in entry.headers.lines where fields[line.name] == nil {
            fields[line.name] = entry.headers[line.name]
        }
        return HTTPURLResponse(
            url: url, statusCode: entry.status, httpVersion: "HTTP/1.1", headerFields: fields
        ).map { CachedURLResponse(response: $0, data: Data(entry.body)) }
    }
}
