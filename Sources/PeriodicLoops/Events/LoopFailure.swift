/// A loop's classification of an error: its kind, and one sentence that says what happened.
public struct LoopFailure: Sendable, Hashable {
    /// The kind of a failure, which decides what follows; see ``EscalationPolicy``.
    public enum Kind: Sendable, Hashable {
        /// There was no usable response: a network failure, 429 or 5xx. The loop only backs off.
        ///
        /// `retryAfter` is the shortest wait that the server requested, if any.
        case unreachable(retryAfter: Duration?)
        /// There was a response that can't be processed. The loop is retried, then reset, then quarantined.
        case unprocessable
        /// The feed has ended. The loop is disabled.
        case over
    }

    /// The kind of the failure.
    public let kind: Kind
    /// What happened. Stored in ``LoopHealth/lastError``, at most 500 characters. Must contain no secrets.
    public let message: String

    /// Creates a failure.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// A failure without a usable response.
    ///
    /// - Parameters:
    ///   - message: What happened.
    ///   - retryAfter: The shortest wait that the server requested. Default: nil, none.
    public static func unreachable(_ message: String, retryAfter: Duration? = nil) -> LoopFailure {
        LoopFailure(.unreachable(retryAfter: retryAfter), message)
    }

    /// A failure whose response can't be processed.
    public static func unprocessable(_ message: String) -> LoopFailure {
        LoopFailure(.unprocessable, message)
    }

    /// The end of a feed.
    public static func over(_ message: String) -> LoopFailure { LoopFailure(.over, message) }
}

extension LoopFailure {
    /// The default classification of a ``LoopError``; nil for other errors.
    ///
    /// A stuck cursor is unprocessable. All other errors count as unreachable.
    public init?(_ error: any Error) {
        guard let error = error as? LoopError else { return nil }
        self.init(error.code == .cursorStuck ? .unprocessable : .unreachable(retryAfter: nil), error.message)
    }
}

/// An error of this module while it runs loops and items. Errors thrown by a loop or an item are not wrapped in it.
public struct LoopError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened.
    public enum Code: Sendable, Hashable {
        /// A poll, a page or a handler exceeded its time limit.
        case timedOut
        /// An earlier try that exceeded its time limit or was cancelled hasn't returned, so no new one was begun.
        case stillRunning
        /// A page promised more, but processing it did not move the cursor.
        case cursorStuck
        /// The operation was cancelled, so it must not commit.
        case cancelled
    }

    /// What happened.
    public let code: Code
    /// What happened and what follows, in one or two sentences.
    public let message: String

    /// The ``message``.
    public var description: String { message }

    static func timedOut(_ what: String, after limit: Duration) -> LoopError {
        LoopError(
            code: .timedOut,
            message: "\(what) took longer than \(limit) and was cancelled. It is tried again later.")
    }

    static let stillRunning = LoopError(
        code: .stillRunning,
        message:
            "The last try was cancelled but has not returned yet, so no other was begun. If this persists, restart the program."
    )

    static let cursorStuck = LoopError(
        code: .cursorStuck,
        message:
            "The server promised another page, but this page did not move the cursor. It is tried again later."
    )

    static let cancelled = LoopError(
        code: .cancelled,
        message:
            "The loop was disabled or reset, so its page was not stored. It is requested again when the loop is enabled."
    )

    /// The description of an error, at most 500 characters.
    static func text(of error: any Error) -> String {
        String(String(describing: error).prefix(500))
    }
}
