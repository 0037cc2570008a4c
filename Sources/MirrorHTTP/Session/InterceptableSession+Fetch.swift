extension InterceptableSession {
    /// Sends a request with caching, login, throttling and retries applied, and returns the answer whatever its status.
    ///
    /// - Throws: ``HTTPError`` if there is no answer, `CancellationError`.
    public func response(for request: Request) async throws -> Response {
        try await response(for: request, into: nil).response
    }

    /// As ``response(for:)``.
    ///
    /// - Parameter destination: what takes the body of a 2xx answer, past the cache; `nil` for memory.
    func response(for request: Request, into destination: Destination?) async throws
        -> (response: Response, address: WebAddress)
    {
        let (fetched, address) = try await follow(request, known: nil, into: destination)
        guard case .body(let response) = fetched else { throw Self.withoutContent(address) }
        return (response, address)
    }

    /// Asks for a representation of which the caller may hold a copy.
    ///
    /// What is current is decided by `known`, not by the cache, which only saves bytes; the rule is ``FetchRule``'s.
    ///
    /// - Parameter known: The entity tag that the caller's copy was made from; `nil` if there is none.
    /// - Throws: ``HTTPError``, for every status that isn't 2xx too; `CancellationError`.
    public func fetch(_ request: Request, known: String?) async throws -> Fetched {
        let (fetched, address) = try await follow(request, known: known, into: nil)
        if case .body(let response) = fetched, !response.head.isSuccess { throw error(response, address) }
        return fetched
    }

    /// Sends an operation whose answer is read as it arrives; redirects are followed within the origin. The operation processes
    /// the head, without a body.
    ///
    /// Nothing of it is cached. A transfer that breaks before the first byte is repeated as any request is; one that breaks
    /// later isn't, as only the reader knows what it has.
    ///
    /// - Parameter sink: gets the head and the body of a 2xx answer, on the transport's thread.
    /// - Throws: ``HTTPError``, for every status that isn't 2xx too; ``BrokenStream``; `CancellationError`; what the sink
    ///   threw.
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

    /// Follows redirects to the answer; each address is checked before it is asked.
    private func follow(_ request: Request, known: String?, into destination: Destination?) async throws
        -> (Fetched, WebAddress)
    {
        var (request, address) = try prepared(request)
        var followed = 0
        while true {
            try await checkAddress(address)
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
            (request, address) = next
            followed += 1
        }
    }

    /// The error for an answer with another status than the expected ones.
    func error(_ response: Response, _ address: WebAddress) -> HTTPError {
        HTTPError.from(response, at: address, now: configuration.clock.now())
    }

    static func withoutContent(_ address: WebAddress) -> HTTPError {
        HTTPError(
            .badResponse,
            "\(address.display) answered that nothing changed, though nothing was known of it. Try again.")
    }
}

/// A stream broke off after its first byte.
package struct BrokenStream: Error {}
