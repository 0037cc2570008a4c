/// What pipelines have to say to their loop.
final class PipelineEnds {
    /// A request that a pipeline couldn't answer; nothing of an answer has reached its sink.
    struct HandedBack {
        let ticket: SendTicket
        /// What it has tried counts for its limits of time, and for what its caller is told.
        let tried: EarlierTry
    }

    /// Requests that are over.
    var finished: [(SendTicket, Result<TransportResponse, any Error>)] = []
    var handedBack: [HandedBack] = []

    func removeAll() {
        finished.removeAll(keepingCapacity: true)
        handedBack.removeAll()
    }
}

/// What was done for a request before it is sent once more.
struct EarlierTry {
    let began: TransferClock.Instant
    /// Whether any byte of it may have reached the server.
    let mayHaveReachedServer: Bool
}
