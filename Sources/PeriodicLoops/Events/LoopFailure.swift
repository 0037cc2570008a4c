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

/// What went wrong in the running of loops and items, in one sentence; what a loop's own work throws stays as it is.
public struct LoopError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// A poll, a page or a handler took longer than it may.
        case timedOut
        /// What was timed out or cancelled before has not returned yet, so that nothing new was begun.
        case stillRunning
        /// A page promised more, but storing it did not move the cursor.
        case cursorStuck
        /// The ticket of a run that was cancelled: nothing of it may be stored.
        case cancelled
    }

    public let code: Code
    public let message: String

    public var description: String { message }

    static func timedOut(_ what: String, after limit: Duration) -> LoopError {
        LoopError(
            code: .timedOut,
            message: "\(what) took longer than \(limit), so it was given up. It is tried again later.")
    }

    static let stillRunning = LoopError(
        code: .stillRunning,
        message:
            "The last try was given up but has not returned yet, so no other was begun. If this stays, restart the program."
    )

    static let cursorStuck = LoopError(
        code: .cursorStuck,
        message:
            "The server said that there is more, but the page led to where it began. It is tried again later."
    )

    static let cancelled = LoopError(
        code: .cancelled,
        message:
            "The loop was disabled or reset, so its page is not stored. It is asked for again when enabled.")

    /// What an error says, short enough to be kept.
    static func text(of error: any Error) -> String {
        String(String(describing: error).prefix(500))
    }
}
