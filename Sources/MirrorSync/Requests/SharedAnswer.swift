import MirrorHTTP

/// One answer for all steps of a run that want the same: who comes first asks, the others wait for it.
///
/// That the server doesn't offer it is an answer too; after any other failure the next one asks again.
actor SharedAnswer {
    private var answer: Result<Fetched, HTTPError>?
    private var isAsking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func fetched(_ ask: @Sendable () async throws -> Fetched) async throws -> Fetched {
        while true {
            if let answer { return try answer.get() }
            guard isAsking else { return try await first(ask) }
            await withCheckedContinuation { waiting.append($0) }
            try Task.checkCancellation()
        }
    }

    private func first(_ ask: @Sendable () async throws -> Fetched) async throws -> Fetched {
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
        } catch let error as HTTPError where error.isNotOffered {
            answer = .failure(error)
            throw error
        }
    }
}
