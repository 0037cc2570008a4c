extension InterceptableSession {
    /// Asks for something that is taken in as it comes; redirects are followed within the origin.
    ///
    /// Nothing of it is cached. What breaks before the first byte is tried again as any request is; what breaks behind it
    /// isn't, as only the reader knows what it has.
    ///
    /// - Parameters:
    ///   - limits: `nil` for the session's; the body's length is bounded by the reader.
    ///   - sink: gets the head and the body of a 2xx answer, on the transport's thread.
    /// - Throws: ``HTTPError``, for every status that isn't 2xx too; `CancellationError`; what the sink threw.
    package func stream(_ request: Request, into sink: any BodySink) async throws -> ResponseHead {
        var request = request
        request.cache = .bypass
        var hop = try firstHop(request)
        var followed = 0
        while true {
            if hop.address.origin != origin { try await checkAddress(hop.address) }
            let received = try await exchange(hop, for: request, destination: OnlyOnce(sink))
            switch Redirect.decide(
                status: received.status, location: received.headers["Location"], from: hop,
                mayLeaveOrigin: false, followed: followed, limit: configuration.redirectLimit)
            {
            case .none:
                guard (200..<300).contains(received.status) else {
                    throw HTTPError.from(
                        status: received.status, headers: received.headers, body: received.body,
                        at: hop.address, now: configuration.clock.now())
                }
                return head(received)
            case .refuse(let error): throw error
            case .follow(let next): hop = next
            }
            followed += 1
        }
    }
}

/// Gives one sink to each attempt, until something came.
private final class OnlyOnce: BodyDestination {
    private let sink: NotedSink

    init(_ sink: any BodySink) { self.sink = NotedSink(sink) }

    func prepare(_ request: inout TransportRequest) throws -> any BodySink {
        if sink.hasBegun { throw BrokenStream() }
        return sink
    }
}

/// What was streamed broke off after it had begun.
package struct BrokenStream: Error {}
