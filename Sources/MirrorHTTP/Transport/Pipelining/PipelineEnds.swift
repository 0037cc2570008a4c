/// What pipelines have to say to their loop.
final class PipelineEnds {
    /// Requests that are over.
    var finished: [(SendTicket, Result<TransportResponse, any Error>)] = []
    /// Requests that a pipeline couldn't answer; nothing of an answer has reached their sinks.
    var handedBack: [SendTicket] = []

    func removeAll() {
        finished.removeAll(keepingCapacity: true)
        handedBack.removeAll()
    }
}
