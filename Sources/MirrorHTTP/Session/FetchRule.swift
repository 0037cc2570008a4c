import Catalogue

/// What a cache entry can say for itself, as far as ``FetchRule`` needs it.
package struct EntryFacts: Sendable, Hashable {
    package var etag: String?
    package var lastModified: String?
    package var isFresh: Bool

    package init(etag: String? = nil, lastModified: String? = nil, isFresh: Bool = false) {
        self.etag = etag
        self.lastModified = lastModified
        self.isFresh = isFresh
    }
}

/// Decides what is asked of the server, and what its 304 means, for somebody who may hold a copy of their own.
///
/// What is current is decided by that copy's entity tag (`known`), not by the cache, which only saves bytes:
///
/// | cache entry | known is the entry's | known differs, or none |
/// |---|---|---|
/// | fresh, may be used | current, nothing is sent | the entry's body, nothing is sent |
/// | stale, or must be validated | conditional on it | conditional on both |
/// | none | conditional on it | unconditional without a known one |
package enum FetchRule {
    /// What to do before anything is sent.
    package enum Start: Sendable, Hashable {
        case current
        case cached
        /// Ask; an empty list of tags and no date mean unconditionally.
        case ask(ifNoneMatch: [String], ifModifiedSince: String?)
    }

    package static func start(known: String?, entry: EntryFacts?, cache: Request.CacheUse) -> Start {
        if let entry, entry.isFresh, cache == .use {
            if let known, let etag = entry.etag, EntityTag.match(known, etag) { return .current }
            return .cached
        }
        var tags = known.map { [$0] } ?? []
        if let etag = entry?.etag, !tags.contains(where: { EntityTag.match($0, etag) }) {
            tags.append(etag)
        }
        tags.removeAll { $0.utf8.count > longestTag }
        // A date says less than a tag, so it is sent only where there is no tag (RFC 9110, section 13.1.3).
        return .ask(ifNoneMatch: tags, ifModifiedSince: tags.isEmpty ? entry?.lastModified : nil)
    }

    /// Bytes. A longer tag is none to ask with: servers refuse heads of more than some 8 kB, and two may go together.
    package static let longestTag = 2_048

    /// What a 304 confirms.
    package enum Confirmed: Sendable, Hashable {
        /// The caller's copy; `entry`: the cache's entry too.
        case known(entry: Bool)
        /// The cache's entry, which the caller has not.
        case entry
        /// Nothing that anybody here holds: the request is to be repeated without conditions.
        case nothing
    }

    /// - Parameter answered: the entity tag in the 304; a server may leave it out.
    package static func confirmed(by answered: String?, known: String?, entry: EntryFacts?) -> Confirmed {
        let entryTag = entry?.etag
        func matches(_ tag: String?) -> Bool {
            guard let tag else { return false }
            guard let answered else { return true }
            return EntityTag.match(tag, answered)
        }
        let isOne = known != nil && entryTag != nil && EntityTag.match(known ?? "", entryTag ?? "")
        if answered == nil, known != nil, entryTag != nil, !isOne {
            // Two tags were sent, and the answer doesn't say which it means.
            return .nothing
        }
        if matches(known) { return .known(entry: isOne) }
        if matches(entryTag) { return .entry }
        // Validated by date alone.
        if known == nil, let entry, entry.etag == nil, entry.lastModified != nil { return .entry }
        return .nothing
    }
}
