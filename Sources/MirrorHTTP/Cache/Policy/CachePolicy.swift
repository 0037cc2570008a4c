import Catalogue

/// The rules of a private cache (RFC 9111), as functions of a request, an entry and the time.
///
/// A session calls ``decide(_:entry:now:)`` before it sends a request. Afterwards it calls
/// ``afterResponse(_:to:entry:isConditional:key:)`` or ``afterFailure(_:entry:now:)``. It performs what they return:
///
///     request ─ decide ─┬─ fresh ─────────── answer from the entry
///                       ├─ revalidate ─ send with conditions ─┐
///                       ├─ miss ─────── send as it is ────────┴─ afterResponse ─ store, update, pass, …
///                       └─ unsatisfiable ─── answer 504
enum CachePolicy {
    /// What to do before a request is sent.
    enum Decision: Sendable, Equatable {
        /// Answer from the entry; nothing is sent, except for ``Use/whileRevalidating``.
        case fresh(CacheEntry, Use)
        /// Send the request with these header fields added.
        case revalidate(CacheEntry, HeaderFields)
        /// Send the request unchanged. An existing entry may still be used after an error.
        case miss
        /// The request accepts only a stored response (`only-if-cached`), and none may be used: answer 504.
        case unsatisfiable
    }

    /// Why an entry may answer without validation.
    enum Use: Sendable, Equatable {
        case fresh
        /// Stale, and allowed by the request's `max-stale`.
        case stale
        /// Stale, and allowed by `stale-while-revalidate`: answer, and validate in the background.
        case whileRevalidating
        /// The caller's own condition holds: answer 304 with the entry's headers and no body.
        case notModified
    }

    /// Decides what to do before a request is sent.
    ///
    /// - Parameters:
    ///   - entry: The cache's entry for the URL and the request's header fields.
    ///   - now: Seconds since 1970 by the clock that stamped the entry.
    static func decide(_ request: CacheRequest, entry: CacheEntry?, now: Double) -> Decision {
        let control = CacheControl(request.headers)
        let otherwise: Decision = control.onlyIfCached ? .unsatisfiable : .miss
        // Range requests are not answered from the cache. Only the origin evaluates If-Match and If-Unmodified-Since.
        guard request.method == "GET" || request.method == "HEAD", !control.noStore, !request.isRange,
            !request.headers.has("If-Match"), !request.headers.has("If-Unmodified-Since"),
            let entry, entry.vary.matches(request.headers)
        else { return otherwise }
        if let use = use(of: entry, for: request, control, now: now) {
            guard request.hasOwnConditions, Revalidation.isNotModified(request, entry, now: now) else {
                return .fresh(entry, use)
            }
            return .fresh(entry, .notModified)
        }
        // The caller's own conditions are not combined with the session's: a 304 doesn't show which one it confirms.
        guard !control.onlyIfCached, request.method == "GET", !request.hasOwnConditions else {
            return otherwise
        }
        let conditions = Revalidation.conditions(of: entry)
        return conditions.lines.isEmpty ? .miss : .revalidate(entry, conditions)
    }

    /// How the entry may be used without a request (sections 4.2, 5.2.1 and 5.2.2); `nil` if it may not.
    private static func use(
        of entry: CacheEntry, for request: CacheRequest, _ control: CacheControl, now: Double
    ) -> Use? {
        let stored = CacheControl(entry.headers)
        guard !stored.noCache, !request.requiresValidation(control) else { return nil }
        let freshness = Freshness(entry, now: now)
        if freshness.isFresh {
            // A reload sends `max-age=0`. A fresh immutable response needs no reload (RFC 8246).
            if let most = control.maxAge, !stored.immutable, most == 0 || freshness.age > most { return nil }
            if let least = control.minFresh, -freshness.staleness < least { return nil }
            return .fresh
        }
        guard !stored.mustRevalidate, control.minFresh == nil else { return nil }
        if let most = control.maxAge, freshness.age > most { return nil }
        if let most = control.maxStale, freshness.staleness <= most { return .stale }
        if control.maxAge == nil, let most = stored.staleWhileRevalidate, freshness.staleness <= most {
            return control.onlyIfCached ? .stale : .whileRevalidating
        }
        return nil
    }
}

/// The parts of a request that the cache's rules need.
struct CacheRequest: Sendable {
    var method = "GET"
    /// Absolute.
    var url: String
    var headers: HeaderFields = [:]

    /// Whether the caller's own request is conditional; a `304` is then returned to the caller.
    var hasOwnConditions: Bool {
        headers.has("If-None-Match") || headers.has("If-Modified-Since") || headers.has("If-Match")
            || headers.has("If-Unmodified-Since") || headers.has("If-Range")
    }

    var isRange: Bool { headers.has("Range") }

    /// Whether the request has `no-cache`, or, without a `Cache-Control` field, HTTP/1.0's `Pragma: no-cache`
    /// (RFC 9111, section 5.4).
    func requiresValidation(_ control: CacheControl) -> Bool {
        control.noCache
            || !control.isPresent && headers.has("Pragma")
                && FieldList.members(headers.values(of: "Pragma")).contains {
                    FieldList.lowered($0) == "no-cache"
                }
    }
}

/// A complete response from the network.
struct CacheResponse: Sendable {
    var status: Int
    var headers: HeaderFields
    var body: [UInt8] = []
    /// When the request was sent, in seconds since 1970 by the local clock.
    var requestTime: Double
    /// When the response arrived, in seconds since 1970 by the local clock.
    var responseTime: Double
}

/// Validation of a stored response at the origin (RFC 9111, section 4.3).
enum Revalidation {
    /// The header fields that make a request conditional on the entry; empty if it has no validator.
    ///
    /// If the entry has both validators, both are sent: a server that supports ETags ignores the date
    /// (RFC 9110, section 13.1.3). A `304` can only confirm a 2xx response, so other entries give no conditions.
    static func conditions(of entry: CacheEntry) -> HeaderFields {
        var conditions = HeaderFields()
        guard (200..<300).contains(entry.status) else { return conditions }
        if let etag = entry.etag { conditions.append("If-None-Match", etag) }
        if let modified = entry.headers.firstValue(of: "Last-Modified"),
            HTTPDate.parse(modified, now: entry.responseTime) != nil
        {
            conditions.append("If-Modified-Since", modified)
        }
        return conditions
    }

    /// Whether a `304`, or a `200` to a `HEAD`, refers to the stored response (section 4.3.4).
    ///
    /// - ETags are compared weakly, although the RFC requires a strong comparison for strong ones. Only one ETag was
    ///   sent, and servers that compress mark an ETag as weak in their `200` but not in their `304`.
    /// - Without an ETag in the response, the `Last-Modified` dates must be equal.
    /// - A response without any validator confirms the entry.
    static func confirms(_ response: HeaderFields, _ entry: CacheEntry) -> Bool {
        if let new = response.firstValue(of: "ETag") {
            return entry.etag.map { EntityTag.match(new, $0) } ?? false
        }
        if let new = response.firstValue(of: "Last-Modified"),
            let old = entry.headers.firstValue(of: "Last-Modified")
        {
            return new == old
        }
        return true
    }

    /// Whether the entry answers the caller's own conditions with a `304` (section 4.3.2).
    ///
    /// `If-None-Match` takes precedence over `If-Modified-Since`.
    static func isNotModified(_ request: CacheRequest, _ entry: CacheEntry, now: Double) -> Bool {
        guard entry.status == 200 else { return false }
        let tags = request.headers.values(of: "If-None-Match")
        if !tags.isEmpty {
            guard let etag = entry.etag else { return tags.contains("*") }
            return tags.contains { EntityTag.isListedWeakly(etag, in: $0) }
        }
        guard let since = request.headers.firstValue(of: "If-Modified-Since"),
            let limit = HTTPDate.parse(since, now: now),
            let modified =
                (entry.headers.firstValue(of: "Last-Modified") ?? entry.headers.firstValue(of: "Date"))
                .flatMap({ HTTPDate.parse($0, now: now) })
        else { return false }
        return modified <= limit
    }
}
