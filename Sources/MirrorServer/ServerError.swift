/// Why the server could not be started, in one sentence that says what to do.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// It was to listen beyond this machine without asking for a token or login.
        case accessOpen
        /// A token or list of users can't be used.
        case invalidAccess
        /// The address or port can't be listened on.
        case cannotListen
    }

    public let code: Code
    public let message: String
    /// What the system said, for a log.
    public let cause: String?

    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
