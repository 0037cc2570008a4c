extension InterceptableSession {
    /// Asks for something that is taken in as it comes; redirects are followed within the origin.
    ///
    /// Nothing of it is cached. What breaks before the first byte is tried again as any request is; what breaks behind it
    /// isn't, as only the reader knows what it has.
    ///
    /// - Parameter sink: gets the head and the body of a 2xx answer, on the transport's thread.
    /// - Throws: ``HTTPError``, for every status that isn't 2xx too; `CancellationError`; what the sink threw.
    package func stream(_ request: Request, into sink: any BodySink) async throws -> ResponseHead {
        var request = request
        request.cache = .bypass
        let (received, address) = try await ask(OnlyOnce(sink), for: request)
        guard (200..<300).contains(received.status) else {
            throw HTTPError.from(
                status: received.status, headers: received.headers, body: received.body, at: address,
                now: configuration.clock.now())
        }
        return head(received)
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
