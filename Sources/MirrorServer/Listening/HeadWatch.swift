/// Whether a client owes the head of a request: of its first one, or of another that it has begun.
///
/// Nothing is timed for a request: the connections are looked at every so often, and one that owes a head each time is
/// overdue at last. So no client is taken for silent because the server stood still, and couldn't hear it.
///
/// A head whose beginning came in one go with the end of another request is noticed when more of it comes. Before, it is as
/// if nothing had come, and the connection is as idle as one that sends nothing.
struct HeadWatch {
    /// So often a head may be found missing.
    static let patience = 3

    private var isOwed = true
    /// Between a request's head and its end.
    private var isInRequest = false
    /// Whether any part of a request is in what is being read.
    private var partCame = false
    private var timesMissing = 0

    mutating func headCame() {
        isOwed = false
        isInRequest = true
        partCame = true
        timesMissing = 0
    }

    mutating func requestEnded() {
        isInRequest = false
        partCame = true
    }

    /// What came in one go was read: if that made no part of a request, it is some of a head.
    mutating func readCompleted() {
        if !partCame, !isInRequest { isOwed = true }
        partCame = false
    }

    /// The client has said that nothing more comes.
    mutating func inputEnded() { isOwed = false }

    /// Looks after it once more.
    ///
    /// - Parameter isBusy: whether earlier requests are being answered; so long the client may take its time.
    mutating func isOverdue(isBusy: Bool) -> Bool {
        guard isOwed, !isBusy else {
            timesMissing = 0
            return false
        }
        timesMissing += 1
        return timesMissing > Self.patience
    }
}
