import Catalogue
import Synchronization

/// Logs in with name and password, the CouchDB way: `POST /_session`, and the cookie that it sets.
///
/// The first request logs in; when the session ends (401, or 403 `credentials_expired`) all requests that meet it
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
        if let aside = attempt.aside {
            let clock = attempt.clock
            attempt.memory = try await gate.pass(beyond: 0) { try await self.logIn(aside, clock) }
        }
        let now = attempt.clock.now()
        guard let cookies = jar.withLock({ $0.header(for: address, now: now) }) else { return }
        let given = attempt.request.headers["Cookie"]
        attempt.request.headers["Cookie"] = given.map { "\($0); \(cookies)" } ?? cookies
    }

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard attempt.isToOrigin, let address = attempt.currentAddress,
            case .response(let status, let headers, let body) = outcome
        else { return .proceed }
        guard Self.hasEnded(status: status, body: body) else {
            // Servers lengthen a session by setting its cookie anew.
            jar.withLock { $0.take(headers, from: address, now: attempt.clock.now()) }
            return .proceed
        }
        guard attempt.repeats == 0, let aside = attempt.aside else { return .proceed }
        let clock = attempt.clock
        attempt.memory = try await gate.pass(beyond: attempt.memory) { try await self.logIn(aside, clock) }
        return .repeat(after: .zero)
    }

    /// Whether an answer says that the login no longer holds.
    package static func hasEnded(status: Int, body: [UInt8]) -> Bool {
        status == 401 || (status == 403 && ErrorBody.reason(body) == ErrorBody.credentialsExpired)
    }

    private func logIn(_ aside: AsideSender, _ clock: SessionClock) async throws {
        jar.withLock { $0.removeAll() }
        // Logging in twice does no more than once, so it may be repeated like a GET.
        let request = Request(
            method: "POST", .beside("/_session"), headers: ["Accept": "application/json"],
            body: Array(FormBody.encode([NameValue("name", name), NameValue("password", password)]).utf8),
            contentType: FormBody.contentType, isIdempotent: true, cache: .bypass)
        let response = try await aside.response(for: request)
        let address = try aside.session.address(of: request.target)
        guard response.head.isSuccess else {
            if response.status == 401 || response.status == 403 {
                throw HTTPError(
                    .notAuthorised,
                    "\(address.origin.display) doesn't accept this name and password. Run mirror login again.",
                    status: response.status)
            }
            throw HTTPError.from(
                status: response.status, headers: response.headers, body: response.body, at: address,
                now: clock.now())
        }
        let hasCookie = jar.withLock { jar in
            jar.take(response.headers, from: address, now: clock.now())
            return jar.header(for: address, now: clock.now()) != nil
        }
        guard hasCookie else {
            throw HTTPError(
                .badResponse, "\(address.display) took the login but set no cookie. Try a token instead.")
        }
    }

    /// A dump must not show the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
