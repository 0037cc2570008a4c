extension InterceptableSession {
    /// Sends a request with everything applied, and returns the answer whatever its status.
    ///
    /// - Throws: ``HTTPError`` if there is no answer, `CancellationError`.
    public func response(for request: Request) async throws -> Response {
        let (fetched, address) = try await follow(request, known: nil)
        guard case .body(let response) = fetched else { throw Self.withoutContent(address) }
        return response
    }

    /// Asks for a representation of which the caller may hold a copy.
    ///
    /// What is current is decided by `known`, not by the cache, which only saves bytes; the rule is ``FetchRule``'s.
    ///
    /// - Parameter known: The entity tag that the caller's copy was made from; `nil` if there is none.
    /// - Throws: ``HTTPError``, for every status that isn't 2xx too; `CancellationError`.
    public func fetch(_ request: Request, known: String?) async throws -> Fetched {
        let (fetched, address) = try await follow(request, known: known)
        if case .body(let response) = fetched, !response.head.isSuccess {
            throw HTTPError.from(
                status: response.status, headers: response.headers, body: response.body, at: address,
                now: configuration.clock.now())
        }
        return fetched
    }

    /// Follows redirects to the answer.
    private func follow(_ request: Request, known: String?) async throws -> (Fetched, WebAddress) {
        var hop = try firstHop(request)
        var followed = 0
        while true {
            if hop.address.origin != origin { try await checkAddress(hop.address) }
            let fetched = try await answer(hop, for: request, known: known)
            guard case .body(let response) = fetched, Redirect.isRedirect(response.status) else {
                return (fetched, hop.address)
            }
            switch Redirect.decide(
                status: response.status, location: response.headers["Location"], from: hop,
                mayLeaveOrigin: request.mayLeaveOrigin, followed: followed, limit: configuration.redirectLimit
            )
            {
            case .none: return (fetched, hop.address)
            case .refuse(let error): throw error
            case .follow(let next): hop = next
            }
            followed += 1
        }
    }

    static func withoutContent(_ address: WebAddress) -> HTTPError {
        HTTPError(
            .badResponse,
            "\(address.display) answered that nothing changed, though nothing was known of it. Try again.")
    }
}
