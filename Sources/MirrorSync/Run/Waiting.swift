/// That a run waits for the partner's server, why, and for how long.
public struct Waiting: Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It says that it is in trouble: its status is 500.
        case trouble
        /// Its status is 503.
        case overloaded
        /// Its status is anything else.
        case unexpected
        /// It gives no status at all.
        case silent
        /// It asked to slow down.
        case throttled
    }

    public let reason: Reason
    /// What it answered when it was asked for its status; `nil` for none.
    public let status: Int?
    /// How long still.
    public internal(set) var left: Duration
    /// The request that failed and what came of it, such as `answered 503 for /partner/p/albums`; `nil` if it isn't known.
    public let cause: String?

    public init(_ reason: Reason, status: Int? = nil, left: Duration, cause: String? = nil) {
        self.reason = reason
        self.status = status
        self.left = left
        self.cause = cause
    }

    /// For a server that gave that status.
    init(status: Int?, left: Duration, cause: String?) {
        let reason: Reason =
            switch status {
            case 500: .trouble
            case 503: .overloaded
            case nil: .silent
            default: .unexpected
            }
        self.init(reason, status: status, left: left, cause: cause)
    }
}
