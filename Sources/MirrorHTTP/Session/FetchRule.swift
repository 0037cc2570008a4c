import Catalogue

/// Decides the conditions of a request, and what a 304 confirms, for a caller that may have its own copy.
///
/// The ETag of the caller's copy (`known`) decides whether that copy is current. The cache only saves transferred bytes:
///
/// | cache entry | `known` is the entry's ETag | `known` differs, or is `nil` |
/// |---|---|---|
/// | fresh, may be used | copy is current, nothing is sent | entry's body, nothing is sent |
/// | stale, or must be validated | request conditional on `known` | request conditional on both ETags |
/// | none | request conditional on `known` | request conditional on `known`; unconditional without one |
///
/// `stored` has the `If-None-Match` and `If-Modified-Since` fields that the cache's entry gives; it is empty without an
/// entry.
package enum FetchRule {
    /// Whether the caller's copy has the same ETag as a fresh entry.
    package static func isCurrent(_ known: String?, _ entry: CacheEntry) -> Bool {
        guard let known, (200..<300).contains(entry.status), let etag = entry.etag else { return false }
        return EntityTag.match(known, etag)
    }

    /// The conditions of the request; empty for an unconditional request.
    package static func conditions(known: String?, stored: HeaderFields) -> HeaderFields {
        var tags = known.map { [$0] } ?? []
        if let etag = stored.firstValue(of: "If-None-Match"),
            !tags.contains(where: { EntityTag.match($0, etag) })
        {
            tags.append(etag)
        }
        tags.removeAll { $0.utf8.count > maximumETagLength }
        var conditions: HeaderFields = [:]
        if tags.isEmpty {
            // A date is less precise than an ETag, so it is only sent without one (RFC 9110, section 13.1.3).
            conditions["If-Modified-Since"] = stored.firstValue(of: "If-Modified-Since")
        } else {
            conditions["If-None-Match"] = tags.joined(separator: ", ")
        }
        return conditions
    }

    /// The length limit of ETags in bytes; longer ones are not sent.
    ///
    /// Many servers refuse request heads of more than about 8 kB, and a request may have two ETags.
    package static let maximumETagLength = 2_048

    /// What a 304 confirms.
    package enum Confirmed: Sendable, Hashable {
        /// The caller's copy, and, if `entry` is true, also the cache's entry.
        case known(entry: Bool)
        /// The cache's entry, which differs from the caller's copy.
        case entry
        /// Neither of them; the request must be repeated without conditions.
        case nothing
    }

    /// Decides what a 304 confirms.
    ///
    /// - Parameter answered: The ETag of the 304; `nil` if the server left it out.
    package static func confirmed(by answered: String?, known: String?, stored: HeaderFields) -> Confirmed {
        let entryTag = stored.firstValue(of: "If-None-Match")
        func matches(_ tag: String?) -> Bool {
            guard let tag else { return false }
            return answered.map { EntityTag.match(tag, $0) } ?? true
        }
        let areEqual = known.flatMap { known in entryTag.map { EntityTag.match(known, $0) } } ?? false
        // Two ETags were sent, and the response doesn't show which one matched.
        if answered == nil, known != nil, entryTag != nil, !areEqual { return .nothing }
        if matches(known) { return .known(entry: areEqual) }
        if matches(entryTag) { return .entry }
        // Only the date was sent.
        return known == nil && entryTag == nil && stored.has("If-Modified-Since") ? .entry : .nothing
    }
}
