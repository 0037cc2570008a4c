import Catalogue

extension CachePolicy {
    /// What to do with a response. Unless a case says otherwise, the caller gets the response unchanged.
    enum Outcome: Sendable, Equatable {
        /// Store this entry.
        case store(CacheEntry)
        /// Store the entry's new headers and times.
        ///
        /// After a `304` to the session's own conditions, answer from the entry. After a `304` to the caller's
        /// conditions, or a response to `HEAD`, return the response.
        case update(CacheEntry)
        /// Nothing changes in the cache.
        case pass
        /// Answer from this stale entry instead (`stale-if-error`).
        case serveStale(CacheEntry)
        /// Remove the entries of these canonical, absolute URLs.
        case invalidate([String])
        /// The `304` doesn't confirm the entry: remove it and repeat the request without the session's conditions.
        case repeatUnconditionally
    }

    /// Decides what to do with a response.
    ///
    /// - Parameters:
    ///   - entry: The entry that the cache had for this URL and these header fields when the request was sent.
    ///   - isConditional: Whether the conditions of ``Decision/revalidate(_:_:)`` were added.
    ///   - key: The key under which a new entry is stored.
    static func afterResponse(
        _ response: CacheResponse, to request: CacheRequest, entry: CacheEntry?, isConditional: Bool,
        key: String
    ) -> Outcome {
        switch request.method {
        case "GET": break
        case "HEAD": return afterHead(response, to: request, entry: entry)
        default:
            let urls = Invalidation.urls(request: request, status: response.status, headers: response.headers)
            return urls.isEmpty ? .pass : .invalidate(urls)
        }
        if response.status == 304 {
            return afterNotModified(response, to: request, entry: entry, isConditional: isConditional)
        }
        let entry = entry.flatMap { $0.vary.matches(request.headers) ? $0 : nil }
        if isError(response.status), let entry {
            if mayServeStale(entry, to: request, now: response.responseTime) { return .serveStale(entry) }
            // A temporary error never replaces a response that can still be validated.
            if entry.status < 500 { return .pass }
        }
        let control = CacheControl(response.headers)
        if Storability.mayStore(response, to: request, responseControl: control),
            let vary = VaryKey(response: response.headers, request: request.headers)
        {
            return .store(
                CacheEntry(
                    key: key, status: response.status,
                    headers: StoredHeaders.stored(
                        response.headers, control: control, responseTime: response.responseTime),
                    body: response.body, requestTime: response.requestTime,
                    responseTime: response.responseTime,
                    vary: vary))
        }
        // The origin sent a newer response, so the stored one is out of date.
        if entry != nil, supersedes(response.status) {
            return .invalidate([CanonicalURL.normalise(request.url)])
        }
        return .pass
    }

    /// The entry that may answer instead of a request that failed without a response; `nil` if none may.
    static func afterFailure(_ request: CacheRequest, entry: CacheEntry?, now: Double) -> CacheEntry? {
        guard let entry, request.method == "GET" || request.method == "HEAD", !request.isRange,
            !request.hasOwnConditions, entry.vary.matches(request.headers),
            mayServeStale(entry, to: request, now: now)
        else { return nil }
        return entry
    }

    private static func afterNotModified(
        _ response: CacheResponse, to request: CacheRequest, entry: CacheEntry?, isConditional: Bool
    ) -> Outcome {
        guard let entry, !request.isRange, entry.vary.matches(request.headers) else { return .pass }
        if isConditional {
            return Revalidation.confirms(response.headers, entry)
                ? .update(updated(entry, by: response)) : .repeatUnconditionally
        }
        // A 304 to the caller's own condition confirms the cache's entry only if it has the entry's ETag.
        guard let tag = response.headers.firstValue(of: "ETag"), let stored = entry.etag,
            EntityTag.match(tag, stored)
        else { return .pass }
        return .update(updated(entry, by: response))
    }

    /// A `200` to a `HEAD` updates the entry if it describes the same representation; otherwise the entry is removed
    /// (section 4.3.5).
    private static func afterHead(_ response: CacheResponse, to request: CacheRequest, entry: CacheEntry?)
        -> Outcome
    {
        guard let entry, response.status == 200, entry.status == 200, entry.vary.matches(request.headers)
        else {
            return .pass
        }
        // The length of an encoded body can't be compared with the stored, decoded bytes.
        let isDecoded = !response.headers.has("Content-Encoding")
        let length = response.headers.firstValue(of: "Content-Length").flatMap { Int($0) }
        let isSameLength = length.map { $0 == entry.body.count } ?? true
        guard Revalidation.confirms(response.headers, entry), isSameLength || !isDecoded else {
            return .invalidate([CanonicalURL.normalise(request.url)])
        }
        return .update(updated(entry, by: response))
    }

    /// Whether the header fields of a `304` need to be written to the cache.
    ///
    /// They don't if they only change the date of an entry that is always validated before use: each later response
    /// from that entry gets the fields of the `304` that confirms it (section 4.3.4). This saves a write for each
    /// object of an unchanged mirror.
    static func isWorthStoring(_ notModified: HeaderFields, over stored: CacheEntry) -> Bool {
        let control = CacheControl(stored.headers)
        let isAlwaysValidated = control.noCache || control.mustRevalidate && control.maxAge == 0
        return !isAlwaysValidated || !StoredHeaders.changesOnlyTime(stored.headers, by: notModified)
    }

    private static func updated(_ entry: CacheEntry, by response: CacheResponse) -> CacheEntry {
        var updated = entry
        updated.headers = StoredHeaders.updated(
            entry.headers, by: response.headers, responseTime: response.responseTime)
        updated.requestTime = response.requestTime
        updated.responseTime = response.responseTime
        return updated
    }

    /// Whether `stale-if-error` of the response or the request allows the stale entry (RFC 5861, section 4).
    private static func mayServeStale(_ entry: CacheEntry, to request: CacheRequest, now: Double) -> Bool {
        let stored = CacheControl(entry.headers)
        let control = CacheControl(request.headers)
        // Only the origin may answer a request that requires validation.
        guard !stored.mustRevalidate, !stored.noCache, !request.requiresValidation(control), !control.noStore,
            let most = control.staleIfError ?? stored.staleIfError
        else { return false }
        return Freshness(entry, now: now).staleness <= most
    }

    /// The statuses that RFC 5861 counts as errors.
    private static func isError(_ status: Int) -> Bool {
        [500, 502, 503, 504].contains(status)
    }

    /// Whether a response that can't be stored shows that the stored one is out of date.
    private static func supersedes(_ status: Int) -> Bool {
        switch status {
        case 200..<206, 207..<304, 305..<400, 404, 410: true
        default: false
        }
    }
}

/// Finds the entries that an unsafe request invalidates (RFC 9111, section 4.4).
enum Invalidation {
    /// The canonical, absolute URLs whose entries are to be removed.
    ///
    /// They are the target, and the URLs of the same origin in `Location` and `Content-Location`. There are none after
    /// an error, and none for a safe method. Unknown methods count as unsafe.
    static func urls(request: CacheRequest, status: Int, headers: HeaderFields) -> [String] {
        guard !isSafe(request.method), (200..<400).contains(status) else { return [] }
        let target = CanonicalURL.normalise(request.url)
        var urls = [target]
        for name in ["Location", "Content-Location"] {
            guard let reference = headers.firstValue(of: name),
                let named = WebAddress(target)?.resolving(reference)
            else { continue }
            let url = CanonicalURL.normalise(named.text)
            if CanonicalURL.origin(of: url) == CanonicalURL.origin(of: target), !urls.contains(url) {
                urls.append(url)
            }
        }
        return urls
    }

    static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
    }
}
