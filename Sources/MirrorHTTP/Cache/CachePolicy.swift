/// The rules of a private cache (RFC 9111), as functions of a request, an entry and the time.
///
/// A session asks ``decide(_:entry:now:)`` before it sends and ``afterResponse(_:to:entry:isConditional:key:)`` or
/// ``afterFailure(_:entry:now:)`` after, and does what they say:
///
///     request ─ decide ─┬─ fresh ─────────── answer from the entry
///                       ├─ revalidate ─ send with conditions ─┐
///                       ├─ miss ─────── send as it is ────────┴─ afterResponse ─ store, update, pass, …
///                       └─ unsatisfiable ─── answer 504
package enum CachePolicy {
    package enum Decision: Sendable, Equatable {
        /// Answer from the entry; nothing is sent, but for ``Use/whileRevalidating``.
        case fresh(CacheEntry, Use)
        /// Send the request with these header fields added.
        case revalidate(CacheEntry, HeaderFields)
        /// Send the request as it is. An entry that was there may still serve after an error.
        case miss
        /// The request wants a stored response (`only-if-cached`) and there is none to give: answer 504.
        case unsatisfiable
    }

    package enum Use: Sendable, Equatable {
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
    package static func decide(_ request: CacheRequest, entry: CacheEntry?, now: Double) -> Decision {
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
        // The caller's own conditions go on their way alone: an answer to both could not be told apart.
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
        let freshness = Freshness(
            status: entry.status, headers: entry.headers, control: stored, requestTime: entry.requestTime,
            responseTime: entry.responseTime, now: now)
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
