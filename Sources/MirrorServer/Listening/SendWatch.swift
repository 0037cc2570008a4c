/// Whether a client has stopped taking what is sent to it.
///
/// Nothing is timed for an answer: the connections are looked at every so often, and one on which nothing moved from one look
/// to the next, so often, is stalled. However slow a client is, as long as it takes anything it is not, for hours: then it is
/// time to ask again for the rest.
struct SendWatch {
    /// So often nothing may have moved. With ``OpenConnections/interval`` between: for 60 to 70 seconds.
    static let patience = 6
    /// So often something may wait for it without a break: for six hours, as long as a client of this program waits for a file.
    static let most = 2_160

    private struct Look: Equatable {
        let unsent: Int
        let parts: Int
    }

    private var last: Look?
    private var timesStill = 0
    private var timesUnsent = 0

    /// Looks after it once more.
    ///
    /// - Parameters:
    ///   - unsent: bytes that wait for the client.
    ///   - parts: how many parts of answers were ever written. More are written only when earlier ones are taken.
    mutating func isStalled(unsent: Int, parts: Int) -> Bool {
        let look = Look(unsent: unsent, parts: parts)
        timesUnsent = unsent > 0 ? timesUnsent + 1 : 0
        guard timesUnsent < Self.most else { return true }
        guard unsent > 0, look == last else {
            last = look
            timesStill = 0
            return false
        }
        timesStill += 1
        return timesStill >= Self.patience
    }
}
