import Catalogue
import MirrorHTTP
import MirrorStore

/// Sends the requests of steps.
///
/// A sync's session sends every request. A dry run's ``PlanSender`` answers from stored data if that suffices. Steps work the
/// same with both.
protocol RequestSender: Sendable {
    var session: InterceptableSession { get }
    /// Whether nothing is stored, so that the requests of objects are only predicted. Default: `false`.
    var isDryRun: Bool { get }
    /// The ids of a kind's objects that a sync would have marked for refetching. Default: none, because a sync stores the marks.
    func marked(_ kind: Kind) -> Set<ExactText>

    func send<Sent: SyncOperation>(_ operation: Sent) async throws -> Sent.Output

    /// Performs an exchange that pushes an edit.
    ///
    /// - Parameters:
    ///   - writes: the writes of the exchange.
    ///   - questions: the number of requests before the first write.
    ///   - exchange: sends the requests; a dry run doesn't call it.
    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws

    /// Downloads a file.
    ///
    /// - Returns: `nil` in a dry run, which stores no files.
    func file(_ download: FileDownload, isRetry: Bool) async throws -> FileDownload.Result?
}

extension RequestSender {
    var isDryRun: Bool { false }
    func marked(_ kind: Kind) -> Set<ExactText> { [] }
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

/// An answer that several steps of a run share. The first caller sends the request; concurrent callers wait for it.
///
/// The errors of an unsupported resource and of an unreadable answer are shared too. After another failure the next caller
/// sends the request again.
actor SharedAnswer<Answer: Sendable> {
    private var answer: Result<Answer, HTTPError>?
    private var isRequesting = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The shared answer; calls `request` if there is none yet.
    func fetched(_ request: @Sendable () async throws -> Answer) async throws -> Answer {
        while true {
            if let answer { return try answer.get() }
            guard isRequesting else { return try await first(request) }
            await withCheckedContinuation { waiting.append($0) }
            try Task.checkCancellation()
        }
    }

    private func first(_ request: @Sendable () async throws -> Answer) async throws -> Answer {
        isRequesting = true
        defer {
            isRequesting = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
        do {
            let fetched = try await request()
            answer = .success(fetched)
            return fetched
        } catch let error as HTTPError where error.isNotSupported || error.code == .notJSON {
            answer = .failure(error)
            throw error
        }
    }
}
