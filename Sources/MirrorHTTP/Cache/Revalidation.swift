import Catalogue

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
