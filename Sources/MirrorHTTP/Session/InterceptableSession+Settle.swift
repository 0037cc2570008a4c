import Foundation

extension InterceptableSession {
    /// Brings the cache up to date with a response, and gives the answer that it makes.
    func settle(_ received: Received, _ lookup: CacheLookup?, isConditional: Bool) -> Response {
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
            if let base = lookup.entry, CachePolicy.isWorthStoring(received.headers, over: base) {
                cache.update(entry, of: base)
            }
            guard isConditional, received.status == 304 else { break }
            return Response(
                head: head(entry, source: .revalidated, receivedBytes: received.receivedBytes),
                body: entry.body)
        case .serveStale(let head):
            guard let entry = lookup.whole(head) else { break }
            return Response(
                head: self.head(entry, source: .stale, receivedBytes: received.receivedBytes),
                body: lookup.body(of: entry))
        case .invalidate(let urls):
            for url in urls { cache.remove(cache.key(for: url)) }
        case .pass, .repeatUnconditionally:
            break
        }
        return plain
    }

    /// The head of an answer that is made from an entry.
    func head(
        _ entry: CacheEntry, status: Int? = nil, source: ResponseHead.Source, receivedBytes: Int = 0
    ) -> ResponseHead {
        ResponseHead(
            status: status ?? entry.status,
            headers: entry.servedHeaders(now: configuration.clock.now().timeIntervalSince1970),
            source: source,
            // What was merged into the entry has no other age than that of the 304.
            ageOnArrival: source == .revalidated ? ResponseHead.age(entry.headers) : 0,
            receivedBytes: receivedBytes)
    }

    func head(_ received: Received) -> ResponseHead {
        ResponseHead(
            status: received.status, headers: received.headers, receivedBytes: received.receivedBytes)
    }
}
