import Foundation

/// A request's data for the cache, and the entry found for it.
struct CacheLookup {
    let cache: CanonicalURLCache
    let key: String
    let request: CacheRequest
    var entry: CacheEntry?
}

extension InterceptableSession {
    /// The response of one address: from the cache if RFC 9111 allows it, otherwise from the network.
    func answer(_ request: Request, at address: WebAddress, known: String?) async throws -> Fetched {
        var request = request
        let isReload = request.cache == .reload
        if request.cache == .noCache || isReload, !CacheControl(request.headers).noCache {
            request.headers.append("Cache-Control", "no-cache")
        }
        let cacheRequest = CacheRequest(method: request.method, url: address.text, headers: request.headers)
        // A caller that sends its own conditions gets the server's response to them.
        let known = request.method != "GET" || cacheRequest.hasOwnConditions || isReload ? nil : known
        // An unsafe request invalidates entries even if it bypasses the cache.
        guard let cache, request.cache != .bypass || !Invalidation.isSafe(request.method) else {
            return try await ask(request, at: address, known: known, nil, stored: [:])
        }
        var lookup = CacheLookup(cache: cache, key: cache.key(for: address.text), request: cacheRequest)
        if !isReload, request.method == "GET" || request.method == "HEAD" {
            lookup.entry = cache.entry(for: lookup.key, cacheRequest.headers)
        }
        var stored: HeaderFields = [:]
        switch CachePolicy.decide(cacheRequest, entry: lookup.entry, now: now) {
        case .fresh(let entry, .whileRevalidating):
            // A mirror needs the current version, so the stale entry is only used after a failure.
            stored = Revalidation.conditions(of: entry)
        case .fresh(let entry, let use):
            return served(entry, as: use, lookup, known: known)
        case .revalidate(_, let conditions):
            stored = conditions
        case .unsatisfiable:
            return .body(Response(head: ResponseHead(status: 504)))
        case .miss:
            break
        }
        return try await ask(request, at: address, known: known, lookup, stored: stored)
    }

    private var now: Double { configuration.clock.now().timeIntervalSince1970 }

    /// The response from an entry, without a request.
    private func served(
        _ entry: CacheEntry, as use: CachePolicy.Use, _ lookup: CacheLookup, known: String?
    ) -> Fetched {
        count { $0.fromCache += 1 }
        return switch use {
        case .notModified: .body(Response(head: head(entry, .fresh, status: 304)))
        case .fresh where FetchRule.isCurrent(known, entry): .current(.fresh, head(entry, .fresh))
        case .fresh: .body(response(entry, .fresh, lookup))
        case .stale, .whileRevalidating: .body(response(entry, .stale, lookup))
        }
    }

    /// Sends the request with the conditions of the caller's copy and of the cache's entry.
    ///
    /// - Parameter stored: The conditions of the cache's entry; empty if it has no validator.
    private func ask(
        _ request: Request, at address: WebAddress, known: String?, _ lookup: CacheLookup?,
        stored: HeaderFields
    ) async throws -> Fetched {
        let conditions = FetchRule.conditions(known: known, stored: stored)
        var conditional = request
        for condition in conditions.lines { conditional.headers[condition.name] = condition.value }
        let received: Exchanged
        do {
            received = try await exchange(conditional, at: address)
        } catch let error as HTTPError where error.status == nil && error.isWorthRetry {
            guard let lookup,
                let entry = CachePolicy.afterFailure(lookup.request, entry: lookup.entry, now: now)
            else { throw error }
            count { $0.fromCache += 1 }
            return .body(response(entry, .stale, lookup))
        }
        let hasOwnConditions = CacheRequest(url: "", headers: request.headers).hasOwnConditions
        guard received.response.status == 304, !hasOwnConditions else {
            return .body(updateCache(received, lookup, isConditional: !conditions.lines.isEmpty))
        }
        if let confirmed = notModified(received, known: known, lookup, stored: stored) { return confirmed }
        // The 304 confirms neither the caller's copy nor the entry: repeat the request without conditions.
        if let lookup { lookup.cache.remove(lookup.key) }
        count { $0.retried += 1 }
        let fullResponse = try await exchange(request, at: address)
        guard fullResponse.response.status != 304 else { throw Self.unexpectedNotModified(address) }
        return .body(updateCache(fullResponse, lookup, isConditional: false))
    }

    /// The result of a 304 to the session's conditions; `nil` if it confirms nothing.
    private func notModified(
        _ received: Exchanged, known: String?, _ lookup: CacheLookup?, stored: HeaderFields
    ) -> Fetched? {
        let head = received.response.head
        switch FetchRule.confirmed(by: head.headers.firstValue(of: "ETag"), known: known, stored: stored) {
        case .known(let isEntry):
            // The entry has the same ETag, so the 304 confirms it too.
            if isEntry, let entry = lookup?.entry, CachePolicy.isWorthStoring(head.headers, over: entry) {
                _ = updateCache(received, lookup, isConditional: true)
            }
            return .current(.notModified, head)
        case .entry:
            let response = updateCache(received, lookup, isConditional: true)
            return response.source == .revalidated ? .body(response) : nil
        case .nothing:
            return nil
        }
    }

    /// Updates the cache by a response from the network, and returns the response for the caller.
    private func updateCache(_ received: Exchanged, _ lookup: CacheLookup?, isConditional: Bool) -> Response {
        let plain = received.response
        guard let lookup else { return plain }
        let response = CacheResponse(
            status: plain.status, headers: plain.headers, body: plain.body,
            requestTime: received.requestTime, responseTime: now)
        let cache = lookup.cache
        switch CachePolicy.afterResponse(
            response, to: lookup.request, entry: lookup.entry, isConditional: isConditional, key: lookup.key)
        {
        case .store(let entry):
            cache.store(entry)
        case .update(let entry):
            if let base = lookup.entry, CachePolicy.isWorthStoring(plain.headers, over: base) {
                cache.update(entry, of: base)
            }
            guard isConditional, plain.status == 304 else { break }
            return Response(
                head: head(entry, .revalidated, receivedBytes: plain.receivedBytes), body: entry.body)
        case .serveStale(let entry):
            return self.response(entry, .stale, lookup, receivedBytes: plain.receivedBytes)
        case .invalidate(let urls):
            for url in urls { cache.remove(cache.key(for: url)) }
        case .pass, .repeatUnconditionally:
            break
        }
        return plain
    }

    /// A response made from an entry; without a body for `HEAD`.
    private func response(
        _ entry: CacheEntry, _ source: ResponseHead.Source, _ lookup: CacheLookup, receivedBytes: Int = 0
    ) -> Response {
        Response(
            head: head(entry, source, receivedBytes: receivedBytes),
            body: lookup.request.method == "HEAD" ? [] : entry.body)
    }

    private func head(
        _ entry: CacheEntry, _ source: ResponseHead.Source, status: Int? = nil, receivedBytes: Int = 0
    ) -> ResponseHead {
        ResponseHead(
            status: status ?? entry.status, headers: entry.servedHeaders(now: now), source: source,
            // The entry was updated by the 304, so it has the age of that response.
            ageOnArrival: source == .revalidated ? ResponseHead.age(entry.headers) : 0,
            receivedBytes: receivedBytes)
    }
}
