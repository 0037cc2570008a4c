import Catalogue
import MirrorHTTP

/// Sends what the steps request. A sync's session sends everything; a dry run (``PlanSender``) answers from what is known
/// wherever that suffices. Steps don't know which of the two they have.
protocol RequestSender: Sendable {
    var session: InterceptableSession { get }

    func send<Sent: SyncOperation>(_ operation: Sent) async throws -> Sent.Output

    /// Carries out an exchange that pushes an edit.
    /// - Parameters:
    ///   - writes: what it writes; `questions` how many requests come before.
    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws

    /// Fetches a file.
    /// - Returns: `nil` if it was not fetched, since nothing is to be stored.
    func file(_ download: FileDownload, isRetry: Bool) async throws -> FileDownload.Result?
}

extension InterceptableSession: RequestSender {
    var session: InterceptableSession { self }

    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws {
        try await exchange()
    }

    func file(_ download: FileDownload, isRetry: Bool) async throws -> FileDownload.Result? {
        try await download.fetch(isRetry: isRetry)
    }
}

/// One answer for all steps of a run that want the same: who comes first asks, the others wait for it.
///
/// That the server doesn't offer it, or sends what can't be read, is an answer too; after any other failure the next one asks
/// again.
actor SharedAnswer<Answer: Sendable> {
    private var answer: Result<Answer, HTTPError>?
    private var isAsking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func fetched(_ ask: @Sendable () async throws -> Answer) async throws -> Answer {
        while true {
            if let answer { return try answer.get() }
            guard isAsking else { return try await first(ask) }
            await withCheckedContinuation { waiting.append($0) }
            try Task.checkCancellation()
        }
    }

    private func first(_ ask: @Sendable () async throws -> Answer) async throws -> Answer {
        isAsking = true
        defer {
            isAsking = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
        do {
            let fetched = try await ask()
            answer = .success(fetched)
            return fetched
        } catch let error as HTTPError where error.isNotOffered || error.code == .notJSON {
            answer = .failure(error)
            throw error
        }
    }
}
