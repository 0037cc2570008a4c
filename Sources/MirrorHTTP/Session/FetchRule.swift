import Catalogue

/// Decides which conditions a request has, and what a 304 means, for a caller that may have a copy of its own.
///
/// What is current is decided by that copy's entity tag (`known`), not by the cache, which only saves bytes:
///
/// | cache entry | known is the entry's | known differs, or none |
/// |---|---|---|
/// | fresh, may be used | current, nothing is sent | the entry's body, nothing is sent |
/// | stale, or must be validated | conditional on it | conditional on both |
/// | none | conditional on it | unconditional without a known one |
///
/// `stored` is what the cache's entry has of `If-None-Match` and `If-Modified-Since`; empty without an entry.
package enum FetchRule {
    /// Whether the caller's copy is what a fresh entry holds.
    package static func isCurrent(_ known: String?, _ entry: CacheEntry) -> Bool {
        guard let known, (200..<300).contains(entry.status), let etag = entry.etag else { return false }
        return EntityTag.match(known, etag)
    }

    /// The conditions to ask with; none to ask unconditionally.
    package static func conditions(known: String?, stored: HeaderFields) -> HeaderFields {
        var tags = known.map { [$0] } ?? []
        if let etag = stored.firstValue(of: "If-None-Match"),
            !tags.contains(where: { EntityTag.match($0, etag) })
        {
            tags.append(etag)
        }
        tags.removeAll { $0.utf8.count > longestTag }
        var conditions: HeaderFields = [:]
        if tags.isEmpty {
            // A date says less than a tag, so it is sent only where there is no tag (RFC 9110, section 13.1.3).
            conditions["If-Modified-Since"] = stored.firstValue(of: "If-Modified-Since")
        } else {
            conditions["If-None-Match"] = tags.joined(separator: ", ")
        }
        return conditions
    }

    /// Bytes. Longer tags are not sent: servers refuse heads of more than some 8 kB, and two tags may go together.
    package static let longestTag = 2_048

    /// What a 304 confirms.
    package enum Confirmed: Sendable, Hashable {
        /// The caller's copy; `entry`: the cache's entry too.
        case known(entry: Bool)
        /// The cache's entry, which the caller doesn't have.
        case entry
        /// Nothing that is stored here: the request is to be repeated without conditions.
        case nothing
    }

    /// - Parameter answered: the entity tag in the 304; a server may leave it out.
    package static func confirmed(by answered: String?, known: String?, stored: HeaderFields) -> Confirmed {
        let entryTag = stored.firstValue(of: "If-None-Match")
        func matches(_ tag: String?) -> Bool {
            guard let tag else { return false }
            return answered.map { EntityTag.match(tag, $0) } ?? true
        }
        let isOne = known.flatMap { known in entryTag.map { EntityTag.match(known, $0) } } ?? false
        // Two tags were sent, and the answer doesn't say which it means.
        if answered == nil, known != nil, entryTag != nil, !isOne { return .nothing }
        if matches(known) { return .known(entry: isOne) }
        if matches(entryTag) { return .entry }
        // Validated by date alone.
        return known == nil && entryTag == nil && stored.has("If-Modified-Since") ? .entry : .nothing
    }
}
