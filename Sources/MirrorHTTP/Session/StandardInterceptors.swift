/// Who a session is to the server.
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
    ///   - log: Given a line for whatever is sent and received, without secrets.
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
