/// Why the retry loop gave up: the words for it.
package enum WaitFailure: String, Sendable, Hashable, CaseIterable {
    /// The server's status is 200, and yet the same request fails each time.
    case repeated
    /// The longest wait is over.
    case budgetSpent

    /// - Parameters:
    ///   - status: what the server answered when it was last asked for its status; `nil` for nothing.
    ///   - limit: what all waits of the run may take together.
    func error(_ request: FailedRequest, host: String, status: Int?, limit: Duration) -> SyncError {
        let answered = "\(host) \(request.outcome)"
        if self == .repeated, request.status == 429 {
            return SyncError(
                .serverTrouble,
                "\(answered) each time the sync started over: it asks to slow down for longer than may be waited. Try again later, with fewer --jobs, or with a longer --max-wait; --fail-fast doesn't start over."
            )
        }
        return SyncError(.serverTrouble, "\(answered)\(rest(status, limit))")
    }

    private func rest(_ status: Int?, _ limit: Duration) -> String {
        guard self == .budgetSpent else {
            return
                " each time the sync started over, though its status is 200. Try again later; if that doesn't help, report it to the partner. Until then --fail-fast doesn't start over, and --max-wait limits the waits."
        }
        guard limit > .zero else {
            return
                ", and no wait for it is allowed. Try again later, or allow one with --max-wait; --fail-fast doesn't ask for one."
        }
        let state =
            status.map { "its status was still \($0)" } ?? "it still gave no status"
        return
            ", and \(state) when the sync had waited \(Self.text(limit)), the most that --max-wait allows. Try again later, allow a longer wait, or use --fail-fast, which doesn't wait."
    }

    /// `42 s`, `5 min`, `1 h 30 min`
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "less than 1 s" : words.prefix(2).joined(separator: " ")
    }
}
