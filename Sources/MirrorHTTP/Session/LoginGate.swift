import Synchronization

/// Lets everybody who needs a login wait for one and the same.
///
/// Logins are counted: who saw login n fail asks for one beyond n, and gets it at once if somebody else has already
/// logged in again.
final class LoginGate: Sendable {
    private struct State {
        /// Logins so far.
        var count = 0
        /// Which login is under way; a result of another one is of no interest any more.
        var round = 0
        var running: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Int, any Error>] = [:]
        var nextWaiter = 0
        /// The server has turned the name and password down: asking again would only lock the account.
        var rejection: HTTPError?
    }

    private let state = Mutex(State())

    /// The number of a login later than `count`, after waiting for it if need be.
    ///
    /// - Throws: what the login threw, to all who wait; `CancellationError` at once to who is cancelled.
    func pass(beyond count: Int, login: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled: Result<Int, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let rejection = state.rejection { return .failure(rejection) }
                    // While the others log in again, the last login is over for everybody.
                    if state.count > count, state.running == nil { return .success(state.count) }
                    state.waiters[id] = continuation
                    if state.running == nil { state.running = start(&state, login) }
                    return nil
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            abandon(id)
        }
    }

    /// The login belongs to nobody in particular (its first waiter may be cancelled while others wait), so it is a
    /// task of its own; the last waiter that leaves takes it along.
    private func start(_ state: inout State, _ login: @escaping @Sendable () async throws -> Void) -> Task<
        Void, Never
    > {
        state.round += 1
        let round = state.round
        return Task {
            do {
                try await login()
                self.finish(round, .success(()))
            } catch {
                self.finish(round, .failure(error))
            }
        }
    }

    private func finish(_ round: Int, _ result: Result<Void, any Error>) {
        let (waiters, answer): ([CheckedContinuation<Int, any Error>], Result<Int, any Error>) =
            state.withLock {
                state in
                guard state.round == round else { return ([], .success(state.count)) }
                let waiters = Array(state.waiters.values)
                state.waiters = [:]
                state.running = nil
                if case .failure(let error) = result {
                    if let error = error as? HTTPError, error.code == .notAuthorised {
                        state.rejection = error
                    }
                    return (waiters, .failure(error))
                }
                state.count += 1
                return (waiters, .success(state.count))
            }
        for waiter in waiters { waiter.resume(with: answer) }
    }

    private func abandon(_ id: Int) {
        let (waiter, task): (CheckedContinuation<Int, any Error>?, Task<Void, Never>?) = state.withLock {
            state in
            let waiter = state.waiters.removeValue(forKey: id)
            guard waiter != nil, state.waiters.isEmpty, let task = state.running else { return (waiter, nil) }
            state.running = nil
            state.round += 1
            return (waiter, task)
        }
        waiter?.resume(throwing: CancellationError())
        task?.cancel()
    }
}
