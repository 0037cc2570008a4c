import MirrorHTTP

/// What a server's refusal of a push means.
enum PushVerdict: Sendable, Hashable {
    /// There is no such album or artwork (any more).
    case gone
    /// It has another version by now than the one that was meant.
    case outdated
    /// It will not take this: sent once more it would be refused again.
    case refused
    /// It may take it another time.
    case temporary
    /// The same, but it may have taken it already.
    case unanswered

    init(_ error: HTTPError) { self.init(status: error.status, mayHaveArrived: error.code != .unreachable) }

    init(status: Int?, mayHaveArrived: Bool) {
        self =
            switch status {
            case nil: mayHaveArrived ? .unanswered : .temporary
            case 404, 410: .gone
            case 412: .outdated
            case 401, 408, 423, 425, 429: .temporary
            case .some(400..<500), 501, 505: .refused
            default: .unanswered
            }
    }
}
