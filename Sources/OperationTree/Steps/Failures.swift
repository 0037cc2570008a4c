/// An error that is not worth another try: it is final at once.
public protocol FinalFailure: Error {}

/// An error that ends the whole run, e.g. a full disk or a missing authorisation.
public protocol RunFailure: Error {}

/// An item, a list or a `finished` took longer than its node allows; it was cancelled and counts as failed.
public struct TimeLimitExceeded: Error, Equatable, CustomStringConvertible {
    public let node: String
    public let limit: Duration

    public init(node: String, limit: Duration) {
        self.node = node
        self.limit = limit
    }

    public var description: String {
        "“\(node)” took longer than \(limit); give the node a longer time limit if that is to be expected"
    }
}
