/// How a session authenticates to the server.
public enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// Without credentials.
    case none
    /// By an access token, sent as `X-Access-Token`.
    case token(String)
    /// By name and password; see ``CookieLoginInterceptor``.
    case login(name: String, password: String)

    /// The kind of credentials, without the secret.
    public var description: String {
        switch self {
        case .none: "none"
        case .token: "token"
        case .login: "login"
        }
    }

    /// Empty, so that a dump doesn't show the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Array where Element == any Interceptor {
    /// The standard interceptors in their order: logging, login or token, throttling, pacing, retries.
    ///
    /// - Parameters:
    ///   - credentials: Default: none.
    ///   - pace: The minimum time between two requests to a host; `nil`, the default, for no limit.
    ///   - budget: The budget of repetitions, which throttling and retries share.
    ///   - retry: The policy of retries.
    ///   - log: Called with a line for each request and response, without secrets. Default: no logging.
    /// - Throws: ``HTTPError`` with code `invalidRequest` if the token isn't valid in a header field.
    public static func standard(
        credentials: Credentials = .none, pace: Duration? = nil,
        budget: RetryBudget = RetryBudget(capacity: 1_500),
        retry: RetryPolicy = RetryPolicy(), log: (@Sendable (String) -> Void)? = nil
    ) throws -> [any Interceptor] {
        var list: [any Interceptor] = []
        if let log { list.append(LoggingInterceptor(log: log)) }
        switch credentials {
        case .none: break
        case .token(let token): list.append(try AccessTokenInterceptor(token: token))
        case .login(let name, let password):
            list.append(CookieLoginInterceptor(name: name, password: password))
        }
        let throttle = ThrottleInterceptor(budget: budget)
        list.append(throttle)
        if let pace { list.append(PacingInterceptor(interval: pace, behind: throttle)) }
        list.append(RetryInterceptor(policy: retry, budget: budget))
        return list
    }
}

/// Adds the access token to requests to the session's own origin, and to no other requests.
public struct AccessTokenInterceptor: Interceptor, CustomStringConvertible, CustomReflectable {
    private let token: String

    /// Creates an interceptor.
    ///
    /// - Throws: ``HTTPError`` with code `invalidRequest` if the token isn't valid in a header field.
    public init(token: String) throws {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HTTPError(
                .invalidRequest,
                "The access token is empty, or contains white space or characters that aren't ASCII. Check the file that it was read from."
            )
        }
        self.token = token
    }

    /// Adds the token.
    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.isToOrigin else { return }
        attempt.request.headers["X-Access-Token"] = token
    }

    /// The name of the type, without the token.
    public var description: String { "AccessTokenInterceptor" }
    /// Empty, so that a dump doesn't show the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Logs a line for each request and each response or failure, without secrets. It must be the first interceptor.
public struct LoggingInterceptor: Interceptor {
    private let log: @Sendable (String) -> Void

    /// Creates an interceptor.
    ///
    /// - Parameter log: Called with each line, on any task.
    public init(log: @escaping @Sendable (String) -> Void) { self.log = log }

    /// Logs the request.
    public func willSend(_ attempt: inout Attempt) async throws {
        let again = attempt.number > 1 ? ", attempt \(attempt.number)" : ""
        log("\(attempt.request.method) \(Redaction.url(attempt.request.url))\(again)")
    }

    /// Logs the status or the kind of failure.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        let what =
            switch outcome {
            case .success(let response): "\(response.status)"
            case .failure(let error as TransportError): "\(error.code)"
            case .failure: "failed"
            }
        log("\(what) \(attempt.request.method) \(Redaction.url(attempt.request.url))")
        return .proceed
    }
}

/// Removes secrets from printed requests.
package enum Redaction {
    /// The address without the values of its query; `?` if the text isn't an address.
    package static func url(_ text: String) -> String {
        guard let address = WebAddress(text) else { return "?" }
        let target = address.target
        guard let mark = target.firstIndex(of: "?") else { return address.display }
        let names = target[mark...].dropFirst().split(separator: "&").map { $0.prefix { $0 != "=" } }
        return "\(address.display)?\(names.joined(separator: "&"))"
    }

    /// Whether a header field of this name may contain a credential.
    package static func isSecret(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["authorization", "cookie", "token", "secret", "password", "key", "session"].contains {
            lower.contains($0)
        }
    }
}
