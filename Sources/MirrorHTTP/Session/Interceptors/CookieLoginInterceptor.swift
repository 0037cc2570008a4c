import Catalogue
import Synchronization

/// Logs in with a name and a password by cookie, as CouchDB does: `POST /_session` sets the cookie.
///
/// The first request logs in. When the login expires (401, or 403 with `credentials_expired`), all refused requests share
/// one new login, and each is repeated once. Cookies are only sent to the host and path that set them, and are stored in
/// memory.
public final class CookieLoginInterceptor: Interceptor, CustomReflectable {
    private let name: String
    private let password: String
    private let gate = LoginGate()
    private let jar = Mutex(CookieJar())

    /// Creates an interceptor; nothing is sent before the first request.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// Waits for a login if necessary, and adds the cookies.
    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.isToOrigin, let address = attempt.currentAddress else { return }
        if !attempt.isNested {
            attempt.memory = try await gate.pass(beyond: 0) { [attempt] in try await self.logIn(attempt) }
        }
        let now = attempt.clock.now()
        guard let cookies = jar.withLock({ $0.header(for: address, now: now) }) else { return }
        let given = attempt.request.headers["Cookie"]
        attempt.request.headers["Cookie"] = given.map { "\($0); \(cookies)" } ?? cookies
    }

    /// Stores cookies; logs in and repeats the request if the login has expired.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard attempt.isToOrigin, let address = attempt.currentAddress, case .success(let response) = outcome
        else { return .proceed }
        guard Self.hasEnded(status: response.status, body: response.body) else {
            // A server extends a login by setting its cookie again.
            jar.withLock { $0.store(response.headers, from: address, now: attempt.clock.now()) }
            return .proceed
        }
        guard attempt.repeats == 0, !attempt.isNested else { return .proceed }
        attempt.memory = try await gate.pass(beyond: attempt.memory) { [attempt] in
            try await self.logIn(attempt)
        }
        return .repeat(after: .zero)
    }

    /// Whether a response means that the login has expired.
    package static func hasEnded(status: Int, body: [UInt8]) -> Bool {
        status == 401 || (status == 403 && ErrorBody.reason(body) == ErrorBody.credentialsExpired)
    }

    private func logIn(_ attempt: Attempt) async throws {
        jar.withLock { $0 = CookieJar() }
        // A second login has no further effect, so it may be repeated like a GET.
        let request = Request(
            method: "POST", .beside("/_session"), headers: ["Accept": "application/json"],
            body: Array(FormBody.encode([NameValue("name", name), NameValue("password", password)]).utf8),
            contentType: FormBody.contentType, isIdempotent: true, cache: .bypass)
        let response = try await attempt.sendNested(request)
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
            jar.store(response.headers, from: address, now: now)
            return jar.header(for: address, now: now) != nil
        }
        guard hasCookie else {
            throw HTTPError(
                .badResponse, "\(address.display) accepted the login but set no cookie. Use a token instead.")
        }
    }

    /// Empty, so that a dump doesn't show the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Makes all requests that need a login wait for the same one.
///
/// Logins are numbered. A request that was refused after login n needs a later login, and continues at once if there is one.
final class LoginGate: Sendable {
    private typealias Answers = AsyncStream<Result<Int, any Error>>

    private struct State {
        /// Logins so far.
        var count = 0
        /// The number of the current login attempt; results of earlier attempts are ignored.
        var round = 0
        var running: Task<Void, Never>?
        var waiters: [Int: Answers.Continuation] = [:]
        var nextWaiter = 0
        /// The server refused the name and password. Another attempt could lock the account.
        var rejection: HTTPError?
    }

    private let state = Mutex(State())

    /// The number of a login after `count`. Waits for that login, or starts it, if necessary.
    ///
    /// - Throws: The login's error, to all waiting tasks; `CancellationError` as soon as the task is cancelled.
    func pass(beyond count: Int, login: @escaping @Sendable () async throws -> Void) async throws -> Int {
        try Task.checkCancellation()
        let (answers, continuation) = Answers.makeStream()
        let waiter: Int? = try state.withLock { state in
            if let rejection = state.rejection { throw rejection }
            // While a new login is running, the previous one has expired for all requests.
            if state.count > count, state.running == nil {
                continuation.yield(.success(state.count))
                return nil
            }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = continuation
            if state.running == nil {
                state.round += 1
                let round = state.round
                // The first waiter may be cancelled while others wait, so the login is an unstructured task. It is
                // cancelled when the last waiter is.
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

    /// Removes a cancelled waiter. A waiter that got its result was removed by `finish`.
    private func leave(_ waiter: Int) {
        state.withLock { state in
            guard state.waiters.removeValue(forKey: waiter) != nil, state.waiters.isEmpty else { return }
            state.running?.cancel()
            state.running = nil
            state.round += 1
        }
    }
}
