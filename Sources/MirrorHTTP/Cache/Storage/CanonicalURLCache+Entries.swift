import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session's interface: keys and entries, without the cost of `URLRequest` and `URLResponse`.
extension CanonicalURLCache {
    /// The key of a URL: its canonical form, relative to the base.
    package func key(for url: String) -> String {
        CanonicalURL.relative(CanonicalURL.normalise(url), to: base)
    }

    /// The newest stored response that matches a request with these header fields (`Vary`), fresh or stale.
    package func entry(for key: String, _ request: HeaderFields = [:]) -> CacheEntry? {
        entries.entry(for: key, request)
    }

    /// Stores a response, and replaces an older one with the same key and `Vary` values. Visible at once.
    package func store(_ entry: CacheEntry) {
        memory.withLock { $0.removeAll { $0.key == entry.key } }
        entries.store(entry)
    }

    /// Stores new headers and times of an existing entry. Does nothing if it was removed or replaced in the meantime.
    ///
    /// - Parameter base: The entry as it was found; its body is kept.
    package func update(_ entry: CacheEntry, of base: CacheEntry) {
        entries.update(entry, of: base)
    }

    /// Removes all responses with this key.
    package func remove(_ key: String) {
        memory.withLock { $0.removeAll { $0.key == key } }
        entries.remove(key)
    }

    /// Writes all pending changes, and returns when they are committed. Idempotent.
    public func flush() {
        entries.flush()
    }

    /// Writes all pending changes and closes the file. Nothing is cached afterwards.
    ///
    /// Without this call, the file is closed when the last reference is released. A finished task may keep a reference
    /// a little longer.
    package func close() { entries.close() }
}

// Conversion between `URLCache`'s types and entries.
extension CanonicalURLCache {
    /// The parts of a request that a lookup needs; `nil` if it isn't a `GET` with a URL.
    func parts(of request: URLRequest) -> (url: URL, key: String, headers: HeaderFields)? {
        guard let url = request.url, (request.httpMethod ?? "GET") == "GET" else { return nil }
        let headers = HeaderFields((request.allHTTPHeaderFields ?? [:]).lazy.map { ($0.key, $0.value) })
        return (url, key(for: url.absoluteString), headers)
    }

    func entry(_ cached: CachedURLResponse, key: String, request: HeaderFields) -> CacheEntry? {
        guard let response = cached.response as? HTTPURLResponse, response.statusCode != 206,
            response.statusCode != 304
        else { return nil }
        let headers = HeaderFields(response)
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
