import Catalogue

/// The rules of a private cache (RFC 9111), as functions of a request, an entry and the time.
///
/// A session asks ``decide(_:entry:now:)`` before it sends and ``afterResponse(_:to:entry:isConditional:key:)`` or
/// ``afterFailure(_:entry:now:)`` after, and does what they say:
///
///     request ─ decide ─┬─ fresh ─────────── answer from the entry
///                       ├─ revalidate ─ send with conditions ─┐
///                       ├─ miss ─────── send as it is ────────┴─ afterResponse ─ store, update, pass, …
///                       └─ unsatisfiable ─── answer 504
enum CachePolicy {
    enum Decision: Sendable, Equatable {
        /// Answer from the entry; nothing is sent, but for ``Use/whileRevalidating``.
        case fresh(CacheEntry, Use)
        /// Send the request with these header fields added.
        case revalidate(CacheEntry, HeaderFields)
        /// Send the request as it is. An entry that was there may still serve after an error.
        case miss
        /// The request wants a stored response (`only-if-cached`) and there is none to give: answer 504.
        case unsatisfiable
    }

    enum Use: Sendable, Equatable {
        case fresh
        /// Stale, and allowed by the request's `max-stale`.
        case stale
        /// Stale, and allowed by `stale-while-revalidate`: answer, and validate in the background.
        case whileRevalidating
        /// The caller's own condition holds: answer 304 with the entry's headers and no body.
        case notModified
    }

    /// What to do before anything is sent.
    ///
    /// - Parameters:
    ///   - entry: What the cache holds for the URL and the request's header fields.
    ///   - now: Seconds since 1970 by the clock that stamped the entry.
    static func decide(_ request: CacheRequest, entry: CacheEntry?, now: Double) -> Decision {
        let control = CacheControl(request.headers)
        let otherwise: Decision = control.onlyIfCached ? .unsatisfiable : .miss
        // Ranges are not answered from the cache; preconditions for changing something are the origin's business.
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
        // The caller's own conditions are sent alone: a 304 would not show which ones it answers.
        guard !control.onlyIfCached, request.method == "GET", !request.hasOwnConditions else {
            return otherwise
        }
        let conditions = Revalidation.conditions(of: entry)
        return conditions.lines.isEmpty ? .miss : .revalidate(entry, conditions)
    }

    /// Whether the entry may answer without asking, and as what (sections 4.2, 5.2.1 and 5.2.2).
    private static func use(
        of entry: CacheEntry, for request: CacheRequest, _ control: CacheControl, now: Double
    ) -> Use? {
        let stored = CacheControl(entry.headers)
        guard !stored.noCache, !request.asksForValidation(control) else { return nil }
        let freshness = Freshness(entry, now: now)
        if freshness.isFresh {
            // A reload says `max-age=0`; what is immutable needs none while it is fresh (RFC 8246).
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

    /// Whether the caller itself asks conditionally: then a `304` is an answer to the caller.
    var hasOwnConditions: Bool {
        headers.has("If-None-Match") || headers.has("If-Modified-Since") || headers.has("If-Match")
            || headers.has("If-Unmodified-Since") || headers.has("If-Range")
    }

    var isRange: Bool { headers.has("Range") }

    /// `no-cache`; also HTTP/1.0's way to say it, where there is no `Cache-Control` (RFC 9111, section 5.4).
    func asksForValidation(_ control: CacheControl) -> Bool {
        control.noCache
            || !control.isPresent && headers.has("Pragma")
                && FieldList.members(headers.values(of: "Pragma")).contains {
                    FieldList.lowered($0) == "no-cache"
                }
    }
}

/// A complete response as it came from the network.
struct CacheResponse: Sendable {
    var status: Int
    var headers: HeaderFields
    var body: [UInt8] = []
    /// When the request was sent, in seconds since 1970 by the own clock.
    var requestTime: Double
    /// When the response came, in seconds since 1970 by the own clock.
    var responseTime: Double
}

/// Asking the origin whether a stored response still holds (RFC 9111, section 4.3).
enum Revalidation {
    /// The header fields that make a request conditional on the entry; empty if it has no validator.
    ///
    /// Both validators are sent if there are both: a server that knows entity tags ignores the date
    /// (RFC 9110, section 13.1.3). Only successful responses can be confirmed by a `304`.
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

    /// Whether a `304`, or a `200` to a `HEAD`, speaks of the stored response (section 4.3.4).
    ///
    /// Entity tags compare weakly, although the RFC asks for more of a strong one: only one tag was asked about, and
    /// servers that compress mark a tag as weak in their `200` and not in their `304`. Without a tag the dates must
    /// not differ. Without any validator, it answers what was asked.
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

    /// Whether the caller's own conditions are answered by the entry with a `304` (section 4.3.2).
    /// `If-None-Match` goes before `If-Modified-Since`.
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
