import Catalogue
import Synchronization

/// Logs in with name and password, the CouchDB way: `POST /_session`, and the cookie that it sets.
///
/// The first request logs in; when the session ends (401, or 403 `credentials_expired`) all requests that are refused
/// share one login, and each is repeated once. Cookies go to the host and path that set them, and are kept in memory.
public final class CookieLoginInterceptor: Interceptor, CustomReflectable {
    private let name: String
    private let password: String
    private let gate = LoginGate()
    private let jar = Mutex(CookieJar())

    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.isToOrigin, let address = attempt.currentAddress else { return }
        if !attempt.isAside {
            attempt.memory = try await gate.pass(beyond: 0) { [attempt] in try await self.logIn(attempt) }
        }
        let now = attempt.clock.now()
        guard let cookies = jar.withLock({ $0.header(for: address, now: now) }) else { return }
        let given = attempt.request.headers["Cookie"]
        attempt.request.headers["Cookie"] = given.map { "\($0); \(cookies)" } ?? cookies
    }

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard attempt.isToOrigin, let address = attempt.currentAddress, case .success(let response) = outcome
        else { return .proceed }
        guard Self.hasEnded(status: response.status, body: response.body) else {
            // Servers extend a session by setting its cookie again.
            jar.withLock { $0.take(response.headers, from: address, now: attempt.clock.now()) }
            return .proceed
        }
        guard attempt.repeats == 0, !attempt.isAside else { return .proceed }
        attempt.memory = try await gate.pass(beyond: attempt.memory) { [attempt] in
            try await self.logIn(attempt)
        }
        return .repeat(after: .zero)
    }

    /// Whether an answer says that the login no longer holds.
    package static func hasEnded(status: Int, body: [UInt8]) -> Bool {
        status == 401 || (status == 403 && ErrorBody.reason(body) == ErrorBody.credentialsExpired)
    }

    private func logIn(_ attempt: Attempt) async throws {
        jar.withLock { $0 = CookieJar() }
        // Two logins have the effect of one, so it may be repeated like a GET.
        let request = Request(
            method: "POST", .beside("/_session"), headers: ["Accept": "application/json"],
            body: Array(FormBody.encode([NameValue("name", name), NameValue("password", password)]).utf8),
            contentType: FormBody.contentType, isIdempotent: true, cache: .bypass)
        let response = try await attempt.sendAside(request)
        let address = try attempt.session.address(of: request.target)
        let now = attempt.clock.now()
        guard response.head.isSuccess else {
            if response.status == 401 || response.status == 403 {
                throw HTTPError(
                    .notAuthorised,
                    "\(address.origin.display) doesn't accept this name and password. Run mirror login again.",
                    status: response.status)
            }
            throw HTTPError.from(response, at: address, now: now)
        }
        let hasCookie = jar.withLock { jar in
            jar.take(response.headers, from: address, now: now)
            return jar.header(for: address, now: now) != nil
        }
        guard hasCookie else {
            throw HTTPError(
                .badResponse, "\(address.display) took the login but set no cookie. Try a token instead.")
        }
    }

    /// A dump must not show the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Lets all requests that need a login wait for one and the same.
///
/// Logins are counted: a request that saw login n fail asks for one beyond n, and gets it at once if there was another login
/// since.
final class LoginGate: Sendable {
    private typealias Answers = AsyncStream<Result<Int, any Error>>

    private struct State {
        /// Logins so far.
        var count = 0
        /// Which login is under way; the result of an earlier one is of no interest any more.
        var round = 0
        var running: Task<Void, Never>?
        var waiters: [Int: Answers.Continuation] = [:]
        var nextWaiter = 0
        /// The server has turned the name and password down: asking again would only lock the account.
        var rejection: HTTPError?
    }

    private let state = Mutex(State())

    /// The number of a login later than `count`, after waiting for it if need be.
    ///
    /// - Throws: what the login threw, to all that wait; `CancellationError` at once to a task that is cancelled.
    func pass(beyond count: Int, login: @escaping @Sendable () async throws -> Void) async throws -> Int {
        try Task.checkCancellation()
        let (answers, continuation) = Answers.makeStream()
        let waiter: Int? = try state.withLock { state in
            if let rejection = state.rejection { throw rejection }
            // While the others log in again, the last login is over for all.
            if state.count > count, state.running == nil {
                continuation.yield(.success(state.count))
                return nil
            }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = continuation
            if state.running == nil {
                state.round += 1
                let round = state.round
                // The login belongs to no single request (its first waiter may be cancelled while others wait), so it is
                // a task of its own; the last waiter that leaves cancels it.
                state.running = Task {
                    do {
                        try await login()
                        self.finish(round, nil)
                    } catch {
                        self.finish(round, error)
                    }
                }
            }
            return state.nextWaiter
        }
        defer { if let waiter { leave(waiter) } }
        for await answer in answers { return try answer.get() }
        throw CancellationError()
    }

    private func finish(_ round: Int, _ error: (any Error)?) {
        state.withLock { state in
            guard state.round == round else { return }
            state.running = nil
            if let error = error as? HTTPError, error.code == .notAuthorised { state.rejection = error }
            if error == nil { state.count += 1 }
            for waiter in state.waiters.values {
                waiter.yield(error.map { .failure($0) } ?? .success(state.count))
            }
            state.waiters = [:]
        }
    }

    /// Removes a waiter that was cancelled; one that has its answer was removed with it.
    private func leave(_ waiter: Int) {
        state.withLock { state in
            guard state.waiters.removeValue(forKey: waiter) != nil, state.waiters.isEmpty else { return }
            state.running?.cancel()
            state.running = nil
            state.round += 1
        }
    }
}
