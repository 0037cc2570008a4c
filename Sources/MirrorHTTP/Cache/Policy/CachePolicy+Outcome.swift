import Catalogue

extension CachePolicy {
    /// What to do with a response. Unless it says otherwise, the response is handed on as it came.
    enum Outcome: Sendable, Equatable {
        /// Store this entry.
        case store(CacheEntry)
        /// Store the entry's new headers and times. After a `304` to our own conditions, answer from the entry; after
        /// one to the caller's, or to a `HEAD`, hand the response on.
        case update(CacheEntry)
        /// Nothing changes in the cache.
        case pass
        /// Answer from this stale entry instead (`stale-if-error`).
        case serveStale(CacheEntry)
        /// Remove the entries of these canonical, absolute URLs.
        case invalidate([String])
        /// A `304` that doesn't speak of the entry: remove it and send the request again without our conditions.
        case repeatUnconditionally
    }

    /// What a response means for the cache.
    ///
    /// - Parameters:
    ///   - entry: What the cache held for this URL and these header fields when the request was sent.
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
            // A passing error never displaces an answer that can still be validated.
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
        // The origin has given a newer answer: what is stored is no longer what it would say.
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
        // An answer to the caller's own condition speaks of our entry only if it names its entity tag.
        guard let tag = response.headers.firstValue(of: "ETag"), let stored = entry.etag,
            EntityTag.match(tag, stored)
        else { return .pass }
        return .update(updated(entry, by: response))
    }

    /// A `200` to a `HEAD` updates the entry if it is the same representation, else the entry goes (section 4.3.5).
    private static func afterHead(_ response: CacheResponse, to request: CacheRequest, entry: CacheEntry?)
        -> Outcome
    {
        guard let entry, response.status == 200, entry.status == 200, entry.vary.matches(request.headers)
        else {
            return .pass
        }
        // Of an encoded body, the length says nothing about the bytes that we hold.
        let isDecoded = !response.headers.has("Content-Encoding")
        let length = response.headers.firstValue(of: "Content-Length").flatMap { Int($0) }
        let isSameLength = length.map { $0 == entry.body.count } ?? true
        guard Revalidation.confirms(response.headers, entry), isSameLength || !isDecoded else {
            return .invalidate([CanonicalURL.normalise(request.url)])
        }
        return .update(updated(entry, by: response))
    }

    /// Whether what a `304` brings is worth a write.
    ///
    /// It isn't if it changes nothing but the date of an entry that never answers without being validated: every answer
    /// from that entry has the fields of the `304` that has just confirmed it (section 4.3.4). A mirror that is
    /// confirmed by thousands of them has no others.
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

    /// `stale-if-error` of the response or the request (RFC 5861, section 4).
    private static func mayServeStale(_ entry: CacheEntry, to request: CacheRequest, now: Double) -> Bool {
        let stored = CacheControl(entry.headers)
        let control = CacheControl(request.headers)
        // A request for validation is answered by the origin or not at all.
        guard !stored.mustRevalidate, !stored.noCache, !request.asksForValidation(control), !control.noStore,
            let most = control.staleIfError ?? stored.staleIfError
        else { return false }
        return Freshness(entry, now: now).staleness <= most
    }

    /// The statuses that RFC 5861 counts as errors.
    private static func isError(_ status: Int) -> Bool {
        [500, 502, 503, 504].contains(status)
    }

    /// Whether a response that can't be stored still says that the stored one is out of date.
    private static func supersedes(_ status: Int) -> Bool {
        switch status {
        case 200..<206, 207..<304, 305..<400, 404, 410: true
        default: false
        }
    }
}

/// What a request that changes something makes invalid (RFC 9111, section 4.4).
enum Invalidation {
    /// The canonical, absolute URLs whose entries go: the target, and what `Location` and `Content-Location` name on
    /// the same origin. None after an error, and none for a safe method. A method that isn't known counts as unsafe.
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
