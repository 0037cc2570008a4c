/// An operation that takes its answer's bytes as they are.
public protocol DataOperation: RequestOperation where Output == Response {}

extension DataOperation {
    /// The response; for a current copy its head, without a body.
    public func processResponse(_ fetched: Fetched) throws -> Response {
        switch fetched {
        case .current(_, let head): Response(head: head)
        case .body(let response): response
        }
    }
}
