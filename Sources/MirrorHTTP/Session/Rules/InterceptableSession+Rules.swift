/// The rules of a described catalogue.
extension InterceptableSession {
    /// A session that obeys rules, with the same base, transport, cache and limit of waits. It counts its own statistics.
    ///
    /// The interceptors are those of this session, with a ``BudgetInterceptor`` and a ``BlockInterceptor`` for the rules.
    package func obeying(_ rules: HostRules) -> InterceptableSession {
        var configuration = configuration
        configuration.concurrency = rules.concurrency(configuration.concurrency)
        configuration.longestWait = max(configuration.longestWait, rules.longestWait)
        if let contact = rules.contact { configuration.userAgent += " (\(contact))" }
        return InterceptableSession(
            self, interceptors: rules.added(to: interceptors), configuration: configuration, rules: rules)
    }

    /// Stores the exact counts of the day's budgets. To be called at the end of a run.
    ///
    /// - Throws: Errors of the closure that stores.
    package func settleBudgets() throws {
        for interceptor in interceptors { try (interceptor as? BudgetInterceptor)?.settle() }
    }

    /// Checks whether the rules allow requests to the host of an address.
    ///
    /// - Parameter redirect: The address that redirected to it; `nil` if there is none.
    /// - Throws: ``HTTPError`` with code `forbiddenAddress`.
    func checkHost(of address: WebAddress, redirectedFrom redirect: WebAddress?) throws {
        let target = address.origin, host = target.display
        guard let rules, target != origin, !rules.hosts.contains(target.host) || target.display != target.host
        else { return }
        let what = redirect.map { "\($0.display) redirects to \(host), which" } ?? host
        throw HTTPError(
            .forbiddenAddress,
            "\(what) was not requested, because the description of this catalogue doesn't list this host. If the host is the right one, add it to hosts in the description."
        )
    }

    /// The address without the key of the rules.
    func withoutKey(_ address: WebAddress) -> WebAddress {
        rules?.key?.removed(from: address, isOwn: address.origin == origin) ?? address
    }

    /// The response without the key of the rules.
    func withoutKey(_ response: Response) -> Response {
        guard let key = rules?.key else { return response }
        var response = response
        key.hide(in: &response)
        return response
    }

    /// The error of the transport without the key of the rules.
    func withoutKey(_ error: TransportError) -> TransportError {
        guard let key = rules?.key else { return error }
        return TransportError(
            error.code, key.hidden(in: error.message), mayHaveReachedServer: error.mayHaveReachedServer)
    }
}
