/// What a loop says of an error: what kind it is, and in one sentence what happened.
public struct LoopFailure: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// There was no answer to judge: network trouble, 429, 5xx. It only backs off; `retryAfter` is the least wait that
        /// the server asked for.
        case unreachable(retryAfter: Duration?)
        /// There was an answer, and it can't be processed. Retried, then reset, then quarantined.
        case unprocessable
        /// The feed is over: the loop is disabled.
        case over
    }

    public let kind: Kind
    /// Kept in ``LoopHealth/lastError``, up to 500 characters. No secrets.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public static func unreachable(_ message: String, retryAfter: Duration? = nil) -> LoopFailure {
        LoopFailure(.unreachable(retryAfter: retryAfter), message)
    }

    public static func unprocessable(_ message: String) -> LoopFailure {
        LoopFailure(.unprocessable, message)
    }

    public static func over(_ message: String) -> LoopFailure { LoopFailure(.over, message) }
}

extension LoopFailure {
    /// What a loop that has no opinion of its own says of an error of this module: a stuck cursor can't be processed, and
    /// the rest is like network trouble. Nil for other errors.
    public init?(_ error: any Error) {
        guard let error = error as? LoopError else { return nil }
        self.init(error.code == .cursorStuck ? .unprocessable : .unreachable(retryAfter: nil), error.message)
    }
}
