/// Tells what is sent and what comes of it, one line each, without secrets. Stands first, so that it sees everything.
public struct LoggingInterceptor: Interceptor {
    private let log: @Sendable (String) -> Void

    /// - Parameter log: Called with each line, from any task.
    public init(log: @escaping @Sendable (String) -> Void) {
        self.log = log
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        let again = attempt.number > 1 ? ", attempt \(attempt.number)" : ""
        log("\(attempt.request.method) \(Redaction.url(attempt.request.url))\(again)")
    }

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        let what =
            switch outcome {
            case .response(let status, _, _): "\(status)"
            case .failure(let error as TransportError): "\(error.code)"
            case .failure: "failed"
            }
        log("\(what) \(attempt.request.method) \(Redaction.url(attempt.request.url))")
        return .proceed
    }
}
