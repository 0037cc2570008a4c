/// How a session authenticates to the server.
public enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    case none
    case token(String)
    case login(name: String, password: String)

    public var description: String {
        switch self {
        case .none: "none"
        case .token: "token"
        case .login: "login"
        }
    }

    /// A dump must not show them.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Array where Element == any Interceptor {
    /// The usual list, in its usual order: logging, login or token, throttling, pacing, retries with one shared budget.
    ///
    /// - Parameters:
    ///   - pace: The least time between two requests to a host; `nil`, the default, for none.
    ///   - log: Called with a line for each request and answer, without secrets.
    /// - Throws: ``HTTPError`` if the token can't stand in a header field.
    public static func standard(
        credentials: Credentials = .none, pace: Duration? = nil, budget: RetryBudget = RetryBudget(),
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

/// Adds the access token to requests to the session's own origin, and to no others.
public struct AccessTokenInterceptor: Interceptor, CustomStringConvertible, CustomReflectable {
    private let token: String

    /// - Throws: ``HTTPError`` with code `invalidRequest` if the token can't stand in a header field.
    public init(token: String) throws {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HTTPError(
                .invalidRequest,
                "The access token is empty or has white space or odd characters in it. Check the file it comes from."
            )
        }
        self.token = token
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.isToOrigin else { return }
        attempt.request.headers["X-Access-Token"] = token
    }

    public var description: String { "AccessTokenInterceptor" }
    /// A dump must not show the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Logs what is sent and what comes of it, one line each, without secrets. Put it first, so that it sees everything.
public struct LoggingInterceptor: Interceptor {
    private let log: @Sendable (String) -> Void

    /// - Parameter log: Called with each line, from any task.
    public init(log: @escaping @Sendable (String) -> Void) { self.log = log }

    public func willSend(_ attempt: inout Attempt) async throws {
        let again = attempt.number > 1 ? ", attempt \(attempt.number)" : ""
        log("\(attempt.request.method) \(Redaction.url(attempt.request.url))\(again)")
    }

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

/// What may be printed of a request.
package enum Redaction {
    /// The address with its query's values left out; `?` for what isn't an address.
    package static func url(_ text: String) -> String {
        guard let address = WebAddress(text) else { return "?" }
        let target = address.target
        guard let mark = target.firstIndex(of: "?") else { return address.display }
        let names = target[mark...].dropFirst().split(separator: "&").map { $0.prefix { $0 != "=" } }
        return "\(address.display)?\(names.joined(separator: "&"))"
    }

    /// Whether a field's name says that its value is a credential.
    package static func isSecret(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["authorization", "cookie", "token", "secret", "password", "api-key", "session"].contains {
            lower.contains($0)
        }
    }
}
