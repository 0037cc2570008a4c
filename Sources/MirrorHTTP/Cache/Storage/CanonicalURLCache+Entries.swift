import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The lean face, for the session: keys and entries, without `URLRequest` and `URLResponse`.
extension CanonicalURLCache {
    /// The key of a URL in any spelling: canonical, and relative to the base.
    package func key(for url: String) -> String {
        CanonicalURL.relative(CanonicalURL.normalise(url), to: base)
    }

    /// The newest stored response that a request with these header fields may choose (`Vary`), fresh or not.
    package func entry(for key: String, _ request: HeaderFields = [:]) -> CacheEntry? {
        entries.entry(for: key, request)
    }

    /// Stores a response in place of an older one that the same requests would choose. Visible at once.
    package func store(_ entry: CacheEntry) {
        memory.withLock { $0.removeAll { $0.key == entry.key } }
        entries.store(entry)
    }

    /// Stores new headers and times of an entry that is there; if it was removed meanwhile, or gave way to another,
    /// nothing happens.
    ///
    /// - Parameter base: The entry as it was found; its body stays.
    package func update(_ entry: CacheEntry, of base: CacheEntry) {
        entries.update(entry, of: base)
    }

    /// Removes all responses of a key.
    package func remove(_ key: String) {
        memory.withLock { $0.removeAll { $0.key == key } }
        entries.remove(key)
    }

    /// Writes all changes that wait; returns when they are committed. Idempotent.
    public func flush() {
        entries.flush()
    }

    /// Writes all that waits and closes the file; from here on nothing is cached. Else that is done when the last reference
    /// goes, which a task that has ended may hold a moment longer.
    package func close() { entries.close() }
}

// Between `URLCache`'s terms and ours.
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
