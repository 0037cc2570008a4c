import Foundation

/// One hop as the cache sees it.
struct CacheLookup {
    let cache: CanonicalURLCache
    let key: String
    let request: CacheRequest
    /// Perhaps only its head: see ``CacheEntry/hasBody``.
    var entry: CacheEntry?

    /// The entry with its body; `nil` if it is no longer there.
    func whole(_ head: CacheEntry) -> CacheEntry? { cache.whole(head, request.headers) }

    /// What of the entry's body belongs to the answer: nothing after a `HEAD`.
    func body(of entry: CacheEntry) -> [UInt8] { request.method == "HEAD" ? [] : entry.body }
}

extension InterceptableSession {
    /// The answer of one hop: the cache's, if it may give it (RFC 9111), else the network's.
    func answer(_ hop: Hop, for request: Request, known: String?) async throws -> Fetched {
        var hop = hop
        if request.cache == .noCache || request.cache == .reload, !CacheControl(hop.headers).noCache {
            hop.headers.append("Cache-Control", "no-cache")
        }
        // Who brings conditions of their own gets the answer to them.
        let asked = CacheRequest(method: hop.method, url: hop.address.text, headers: hop.headers)
        let isReload = request.cache == .reload
        let known = hop.method != "GET" || asked.hasOwnConditions || isReload ? nil : known
        // Who holds a copy most often needs no body: it is current, or another one comes.
        // What is changed past the cache is out of date in it all the same.
        let isBypassed = request.cache == .bypass && Invalidation.isSafe(hop.method)
        let lookup =
            isBypassed ? nil : lookUp(asked, at: hop.address, isRead: !isReload, withBody: known == nil)
        guard let lookup else { return try await ask(hop, for: request, known: known, nil, nil) }
        var conditions: HeaderFields = [:]
        switch CachePolicy.decide(
            asked, entry: lookup.entry, now: configuration.clock.now().timeIntervalSince1970)
        {
        case .fresh(let entry, let use) where use != .whileRevalidating:
            if let answer = served(entry, as: use, lookup, known: known) { return answer }
        case .fresh(let entry, let use) where configuration.revalidatesInBackground:
            if let answer = served(entry, as: use, lookup, known: known) {
                revalidateLater(hop, request, entry)
                return answer
            }
        case .fresh(let entry, _):
            // Whoever mirrors wants what is current, so the stale answer is only kept for a failure.
            conditions = Revalidation.conditions(of: entry)
        case .revalidate(_, let fields):
            conditions = fields
        case .unsatisfiable:
            return .body(Response(head: ResponseHead(status: 504)))
        case .miss:
            break
        }
        return try await ask(hop, for: request, known: known, lookup, Self.facts(of: conditions))
    }

    /// - Parameter isRead: whether an entry may take part in the answer; else the answer only takes its place.
    private func lookUp(
        _ request: CacheRequest, at address: WebAddress, isRead: Bool, withBody: Bool
    ) -> CacheLookup? {
        guard let cache else { return nil }
        let key = cache.key(for: address.text)
        var lookup = CacheLookup(cache: cache, key: key, request: request)
        if isRead, request.method == "GET" || request.method == "HEAD" {
            lookup.entry =
                withBody ? cache.entry(for: key, request.headers) : cache.head(for: key, request.headers)
        }
        return lookup
    }

    /// The answer that an entry gives without a request; `nil` if its body has gone meanwhile.
    private func served(
        _ entry: CacheEntry, as use: CachePolicy.Use, _ lookup: CacheLookup, known: String?
    ) -> Fetched? {
        if use == .notModified {
            counter.count { $0.fromCache += 1 }
            return .body(Response(head: head(entry, status: 304, source: .fresh)))
        }
        let isSuccess = (200..<300).contains(entry.status)
        let facts = EntryFacts(etag: isSuccess ? entry.etag : nil, isFresh: true)
        if use == .fresh, case .current = FetchRule.start(known: known, entry: facts, cache: .use) {
            counter.count { $0.fromCache += 1 }
            return .current(.fresh, head(entry, source: .fresh))
        }
        guard let entry = lookup.whole(entry) else { return nil }
        counter.count { $0.fromCache += 1 }
        return .body(
            Response(head: head(entry, source: use == .fresh ? .fresh : .stale), body: lookup.body(of: entry))
        )
    }

    /// Asks the network, conditionally on what the caller knows and what the cache holds.
    private func ask(
        _ hop: Hop, for request: Request, known: String?, _ lookup: CacheLookup?, _ facts: EntryFacts?
    ) async throws -> Fetched {
        var conditional = hop
        var isConditional = false
        if case .ask(let tags, let date) = FetchRule.start(known: known, entry: facts, cache: request.cache) {
            if let tag = tags.first {
                conditional.headers["If-None-Match"] = tags.count == 1 ? tag : tags.joined(separator: ", ")
            }
            if let date { conditional.headers["If-Modified-Since"] = date }
            isConditional = !tags.isEmpty || date != nil
        }
        let received: Received
        do {
            received = try await exchange(conditional, for: request)
        } catch let error as HTTPError where error.status == nil && error.isWorthRetry {
            guard let lookup, let head = afterFailure(lookup), let entry = lookup.whole(head) else {
                throw error
            }
            counter.count { $0.fromCache += 1 }
            return .body(Response(head: self.head(entry, source: .stale), body: lookup.body(of: entry)))
        }
        guard received.status == 304, !hasOwnConditions(hop) else {
            return .body(settle(received, lookup, isConditional: isConditional))
        }
        return try await notModified(received, hop, for: request, known: known, lookup, facts)
    }

    /// What a 304 to our own conditions means.
    private func notModified(
        _ received: Received, _ hop: Hop, for request: Request, known: String?, _ lookup: CacheLookup?,
        _ facts: EntryFacts?
    ) async throws -> Fetched {
        switch FetchRule.confirmed(by: received.headers.firstValue(of: "ETag"), known: known, entry: facts) {
        case .known(let isEntry):
            // What vouches for the caller's copy vouches for an equal entry.
            if isEntry, let entry = lookup?.entry, CachePolicy.isWorthStoring(received.headers, over: entry) {
                _ = settle(received, lookup, isConditional: true)
            }
            return .current(.notModified, head(received))
        case .entry:
            guard var lookup, let entry = lookup.entry, let whole = lookup.whole(entry) else { break }
            lookup.entry = whole
            let response = settle(received, lookup, isConditional: true)
            if response.source == .revalidated { return .body(response) }
        case .nothing:
            break
        }
        if let lookup { lookup.cache.remove(lookup.key) }
        return .body(try await unconditionally(hop, for: request, lookup))
    }

    private func hasOwnConditions(_ hop: Hop) -> Bool {
        CacheRequest(url: "", headers: hop.headers).hasOwnConditions
    }

    /// Once more, without conditions, after a 304 that confirms nothing that is here.
    private func unconditionally(_ hop: Hop, for request: Request, _ lookup: CacheLookup?) async throws
        -> Response
    {
        counter.count { $0.retried += 1 }
        let received = try await exchange(hop, for: request)
        guard received.status != 304 else { throw Self.withoutContent(hop.address) }
        return settle(received, lookup, isConditional: false)
    }

    private func afterFailure(_ lookup: CacheLookup) -> CacheEntry? {
        CachePolicy.afterFailure(
            lookup.request, entry: lookup.entry, now: configuration.clock.now().timeIntervalSince1970)
    }

    /// The validators that were found good for a condition; `nil` without any.
    private static func facts(of conditions: HeaderFields) -> EntryFacts? {
        conditions.lines.isEmpty
            ? nil
            : EntryFacts(
                etag: conditions.firstValue(of: "If-None-Match"),
                lastModified: conditions.firstValue(of: "If-Modified-Since"))
    }
}
