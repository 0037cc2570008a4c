import Foundation

extension InterceptableSession {
    /// One hop as the cache sees it.
    private struct Lookup {
        let cache: CanonicalURLCache
        let key: String
        let request: CacheRequest
        let entry: CacheEntry?
    }

    /// The answer of one hop: the cache's, if it may give it (RFC 9111), else the network's.
    func answer(_ hop: Hop, for request: Request, known: String?) async throws -> Fetched {
        var hop = hop
        if request.cache == .noCache, hop.headers["Cache-Control"] == nil {
            hop.headers["Cache-Control"] = "no-cache"
        }
        // Who brings conditions of their own gets the answer to them.
        let asked = CacheRequest(method: hop.method, url: hop.address.text, headers: hop.headers)
        let lookup = request.cache == .bypass ? nil : lookUp(asked)
        let known = asked.hasOwnConditions || hop.method != "GET" ? nil : known
        let decision = lookup.map {
            CachePolicy.decide(
                $0.request, entry: $0.entry, now: configuration.clock.now().timeIntervalSince1970)
        }
        var conditions: HeaderFields = [:]
        switch decision {
        case .fresh(let entry, let use) where use != .whileRevalidating:
            return served(entry, as: use, known: known)
        case .fresh(let entry, let use) where configuration.revalidatesInBackground:
            revalidateLater(hop, request, entry)
            return served(entry, as: use, known: known)
        case .fresh(let entry, _):
            // Whoever mirrors wants what is current, so the stale answer is only kept for a failure.
            conditions = Revalidation.conditions(of: entry)
        case .revalidate(_, let fields):
            conditions = fields
        case .unsatisfiable:
            return .body(Response(head: ResponseHead(status: 504)))
        case .miss, nil:
            break
        }
        return try await ask(hop, for: request, known: known, lookup, Self.facts(of: conditions))
    }

    private func lookUp(_ request: CacheRequest) -> Lookup? {
        guard let cache else { return nil }
        let key = cache.key(for: request.url)
        let isRead = request.method == "GET" || request.method == "HEAD"
        return Lookup(
            cache: cache, key: key, request: request,
            entry: isRead ? cache.entry(for: key, request.headers) : nil)
    }

    /// The answer that an entry gives without a request.
    private func served(_ entry: CacheEntry, as use: CachePolicy.Use, known: String?) -> Fetched {
        counter.count { $0.fromCache += 1 }
        if use == .notModified {
            return .body(
                Response(head: head(entry, status: 304, source: .fresh)))
        }
        let isSuccess = (200..<300).contains(entry.status)
        let facts = EntryFacts(etag: isSuccess ? entry.etag : nil, isFresh: true)
        if use == .fresh, case .current = FetchRule.start(known: known, entry: facts, cache: .use) {
            return .current(.fresh, head(entry, source: .fresh))
        }
        return .body(Response(head: head(entry, source: use == .fresh ? .fresh : .stale), body: entry.body))
    }

    /// Asks the network, conditionally on what the caller knows and what the cache holds.
    private func ask(
        _ hop: Hop, for request: Request, known: String?, _ lookup: Lookup?, _ facts: EntryFacts?
    ) async throws -> Fetched {
        var conditional = hop
        if case .ask(let tags, let date) = FetchRule.start(known: known, entry: facts, cache: request.cache) {
            if !tags.isEmpty { conditional.headers["If-None-Match"] = tags.joined(separator: ", ") }
            if let date { conditional.headers["If-Modified-Since"] = date }
        }
        let isConditional = conditional != hop
        let hasOwnConditions = CacheRequest(url: "", headers: hop.headers).hasOwnConditions
        let received: Received
        do {
            received = try await exchange(conditional, for: request)
        } catch let error as HTTPError where error.status == nil && error.isWorthRetry {
            guard let lookup, let entry = afterFailure(lookup) else { throw error }
            counter.count { $0.fromCache += 1 }
            return .body(Response(head: head(entry, source: .stale), body: entry.body))
        }
        guard received.status == 304, !hasOwnConditions else {
            return .body(settle(received, lookup, isConditional: isConditional))
        }
        switch FetchRule.confirmed(by: received.headers["ETag"], known: known, entry: facts) {
        case .known(let entry):
            // What vouches for the caller's copy vouches for an equal entry.
            if entry { _ = settle(received, lookup, isConditional: true) }
            return .current(.notModified, head(received))
        case .entry:
            let response = settle(received, lookup, isConditional: true)
            if response.source == .revalidated { return .body(response) }
        case .nothing:
            break
        }
        if let lookup { lookup.cache.remove(lookup.key) }
        return .body(try await unconditionally(hop, for: request, lookup))
    }

    /// Once more, without conditions, after a 304 that confirms nothing that is here.
    private func unconditionally(_ hop: Hop, for request: Request, _ lookup: Lookup?) async throws -> Response
    {
        counter.count { $0.retried += 1 }
        let received = try await exchange(hop, for: request)
        guard received.status != 304 else { throw Self.withoutContent(hop.address) }
        return settle(received, lookup, isConditional: false)
    }

    /// Brings the cache up to date with a response, and gives the answer that it makes.
    private func settle(_ received: Received, _ lookup: Lookup?, isConditional: Bool) -> Response {
        let plain = Response(head: head(received), body: received.body)
        guard let lookup else { return plain }
        let response = CacheResponse(
            status: received.status, headers: received.headers, body: received.body,
            requestTime: received.requestTime, responseTime: received.responseTime)
        let cache = lookup.cache
        switch CachePolicy.afterResponse(
            response, to: lookup.request, entry: lookup.entry, isConditional: isConditional, key: lookup.key)
        {
        case .store(let entry):
            cache.store(entry)
        case .update(let entry):
            if lookup.entry.map({ CachePolicy.isWorthStoring(entry, over: $0) }) ?? true {
                cache.update(entry)
            }
            guard isConditional, received.status == 304 else { break }
            return Response(
                head: head(entry, source: .revalidated, receivedBytes: received.receivedBytes),
                body: entry.body)
        case .serveStale(let entry):
            return Response(
                head: head(entry, source: .stale, receivedBytes: received.receivedBytes), body: entry.body)
        case .invalidate(let urls):
            for url in urls { cache.remove(cache.key(for: url)) }
        case .pass, .repeatUnconditionally:
            break
        }
        return plain
    }

    private func afterFailure(_ lookup: Lookup) -> CacheEntry? {
        CachePolicy.afterFailure(
            lookup.request, entry: lookup.entry, now: configuration.clock.now().timeIntervalSince1970)
    }

    /// The validators that were found good for a condition; `nil` without any.
    private static func facts(of conditions: HeaderFields) -> EntryFacts? {
        conditions.lines.isEmpty
            ? nil
            : EntryFacts(etag: conditions["If-None-Match"], lastModified: conditions["If-Modified-Since"])
    }

    private func head(
        _ entry: CacheEntry, status: Int? = nil, source: ResponseHead.Source, receivedBytes: Int = 0
    ) -> ResponseHead {
        ResponseHead(
            status: status ?? entry.status,
            headers: entry.servedHeaders(now: configuration.clock.now().timeIntervalSince1970),
            source: source,
            receivedBytes: receivedBytes)
    }

    private func head(_ received: Received) -> ResponseHead {
        ResponseHead(
            status: received.status, headers: received.headers, receivedBytes: received.receivedBytes)
    }
}
