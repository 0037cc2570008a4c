extension InterceptableSession {
    /// Sends a request with caching, login, throttling and retries, and returns the response with any status.
    ///
    /// - Throws: ``HTTPError`` if there is no response; `CancellationError`.
    public func response(for request: Request) async throws -> Response {
        try await response(for: request, into: nil).response
    }

    /// Sends a request as ``response(for:)`` does, and returns the final address too.
    ///
    /// - Parameter destination: Where a 2xx body is streamed, without the cache; `nil` for memory.
    func response(for request: Request, into destination: Destination?) async throws
        -> (response: Response, address: WebAddress)
    {
        let (fetched, address) = try await follow(request, known: nil, into: destination)
        guard case .body(let response) = fetched else { throw Self.unexpectedNotModified(address) }
        return (response, address)
    }

    /// Requests a representation of which the caller may have a copy.
    ///
    /// The ETag of the caller's copy decides whether that copy is current, not the cache, which only saves transferred bytes.
    /// The rules are those of ``FetchRule``.
    ///
    /// - Parameter known: The ETag of the caller's copy; `nil` if there is no copy.
    /// - Throws: ``HTTPError``, also for any status that isn't 2xx; `CancellationError`.
    public func fetch(_ request: Request, known: String?) async throws -> Fetched {
        let (fetched, address) = try await follow(request, known: known, into: nil)
        if case .body(let response) = fetched, !response.head.isSuccess { throw error(response, address) }
        return fetched
    }

    /// Sends an operation and streams the response body to a sink. The operation processes the head, without a body.
    ///
    /// Redirects are followed within the origin. Nothing is cached. A transfer that fails before the first byte is repeated
    /// like any request. One that fails later isn't repeated, because the sink has already received bytes.
    ///
    /// - Parameter sink: Gets the head and the body of a 2xx response, on the transport's thread.
    /// - Throws: ``HTTPError``, also for any status that isn't 2xx; ``BrokenStream``; `CancellationError`; errors of the sink.
    @discardableResult
    package func stream<Sent: RequestOperation>(_ operation: Sent, into sink: any BodySink) async throws
        -> Sent.Output
    {
        try await operation.run { request, _ in
            let (response, address) = try await response(for: request) { _, hasBegun in
                if hasBegun { throw BrokenStream() }
                return sink
            }
            guard response.head.isSuccess else { throw error(response, address) }
            return .body(response)
        }
    }

    /// Follows redirects to the final response. Each address is checked before it is requested.
    private func follow(_ request: Request, known: String?, into destination: Destination?) async throws
        -> (Fetched, WebAddress)
    {
        var (request, address) = try prepared(request)
        var followed = 0
        var redirect: WebAddress?
        while true {
            try await checkAddress(address, redirectedFrom: redirect)
            let fetched =
                if let destination {
                    Fetched.body(try await exchange(request, at: address, into: destination).response)
                } else {
                    try await answer(request, at: address, known: known)
                }
            guard case .body(let response) = fetched,
                let next = try Redirect.next(
                    after: response.head, to: request, at: address, followed: followed,
                    limit: configuration.redirectLimit)
            else { return (fetched, address) }
            redirect = address
            (request, address) = (next.request, withoutKey(next.address))
            followed += 1
        }
    }

    /// The error for a response with an unexpected status.
    func error(_ response: Response, _ address: WebAddress) -> HTTPError {
        HTTPError.from(response, at: address, now: configuration.clock.now())
    }

    static func unexpectedNotModified(_ address: WebAddress) -> HTTPError {
        HTTPError(
            .badResponse,
            "\(address.display) answered \"not modified\" (304) to an unconditional request. Try again.")
    }
}

/// A streamed transfer failed after its first byte.
package struct BrokenStream: Error {}
