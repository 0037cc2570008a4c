import Catalogue
import MirrorHTTP
import Synchronization

/// Waits for a server in trouble: asks for its status, and waits before it asks again. One belongs to one run.
///
/// It decides nothing: whoever drives it asks, takes the delay that fits the answer, and asks again. Its waits, the
/// session's own and the time that asking takes share one limit, and end at once when the task is cancelled.
package final class ServerWait: Sendable {
    package let session: InterceptableSession
    /// What all waits of the run may take together.
    package let limit: Duration
    private let router: Router
    private let monitor: SyncMonitor

    private struct State {
        var delay = RetryDelay()
        /// What the server answered when it was last asked; `nil` for nothing.
        var status: Int?
    }

    private let state = Mutex(State())

    /// - Parameter limit: ``SyncOptions/maxWait``; it becomes the session's.
    package init(session: InterceptableSession, router: Router, limit: Duration, monitor: SyncMonitor) {
        self.session = session
        self.router = router
        self.limit = limit
        self.monitor = monitor
        session.limitWaits(to: limit)
    }

    /// Asks for the server's status: one request, past the cache, without repetition, held back by nothing.
    ///
    /// After ``StatusAnswer/healthy`` both delays begin anew.
    ///
    /// - Throws: `CancellationError`.
    package func askStatus() async throws -> StatusAnswer {
        let status = try await status()
        let answer = StatusAnswer(status: status)
        state.withLock { state in
            state.status = status
            if answer == .healthy { state.delay = RetryDelay() }
        }
        return answer
    }

    /// Waits the next delay of that kind, or what the limit leaves of it.
    ///
    /// - Parameter request: the one that failed, for the message.
    /// - Throws: `CancellationError`.
    package func wait(_ kind: RetryDelay.Kind, because request: FailedRequest? = nil) async throws
        -> WaitResult
    {
        let random = session.configuration.random()
        let (delay, status) = state.withLock { ($0.delay.next(kind, random: random), $0.status) }
        let wait = min(delay, session.waitLeft ?? delay)
        guard wait > .zero else { return .budgetSpent }
        monitor.waits(Waiting(status: status, left: wait, cause: request?.outcome), in: session)
        return try await session.wait(wait, .trouble) ? .waited : .budgetSpent
    }

    /// Whether what the server answered when it was last asked is one of the statuses that the extension has.
    package var isStatus: Bool { state.withLock { [200, 500, 503].contains($0.status) } }

    /// Whether the server gave no answer when it was last asked for its status.
    package var isSilent: Bool { state.withLock { $0.status == nil } }

    /// What is reported of a request that failed for good although the server was waited for.
    package func failure(_ reason: WaitFailure, of request: FailedRequest) -> SyncError {
        reason.error(
            request, host: session.origin.display, status: state.withLock { $0.status }, limit: limit)
    }

    /// The request for the status; nothing is sent.
    package var request: Request {
        let limits = TransferLimits(
            connect: .seconds(5), idle: .seconds(10), whole: .seconds(10), body: 1 << 20)
        var request = Request(
            .beside(router.status().canonicalURL), headers: .acceptingJSON, limits: limits, cache: .bypass)
        request.mayWait = false
        return request
    }

    private func status() async throws -> Int? {
        do {
            let request = request
            return try await session.countingAsWait { try await session.response(for: request).status }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // No answer is an answer here: whatever the reason, it is asked again after the fast delay.
            try Task.checkCancellation()
            return nil
        }
    }
}

/// What a server says of itself.
package enum StatusAnswer: String, Sendable, Hashable, CaseIterable {
    /// 200
    case healthy
    /// 500
    case inTrouble
    /// Anything else, and no answer at all.
    case other

    package init(status: Int?) {
        self =
            switch status {
            case 200: .healthy
            case 500: .inTrouble
            default: .other
            }
    }
}

package enum WaitResult: String, Sendable, Hashable, CaseIterable {
    case waited
    /// Nothing is left to wait.
    case budgetSpent
}
