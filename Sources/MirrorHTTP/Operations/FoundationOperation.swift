import Foundation
import Synchronization

/// Runs a ``RequestOperation`` on a Foundation `OperationQueue`, with the queue's dependencies and priorities.
///
/// Cancelling it cancels the request at once. When it is finished, its result is in ``result``.
///
/// `@unchecked Sendable` because `Operation` isn't `Sendable` on every platform. The state of this subclass is guarded by a
/// `Mutex`.
public final class FoundationOperation<Sent: RequestOperation>: Operation, @unchecked Sendable {
    private struct State {
        var isExecuting = false
        var task: Task<Void, Never>?
        var result: Result<Sent.Output, any Error>?
    }

    private let state = Mutex(State())
    private let sent: Sent
    private let session: InterceptableSession

    /// Wraps an operation, which is sent over the session when the queue starts it.
    public init(_ operation: Sent, session: InterceptableSession) {
        self.sent = operation
        self.session = session
    }

    /// The operation's output or error; `nil` until it is finished, `CancellationError` if it was cancelled.
    public var result: Result<Sent.Output, any Error>? { state.withLock { $0.result } }

    /// Always `true`.
    public override var isAsynchronous: Bool { true }
    /// Whether the request is being sent.
    public override var isExecuting: Bool { state.withLock { $0.isExecuting } }
    /// Whether there is a ``result``.
    public override var isFinished: Bool { state.withLock { $0.result != nil } }

    /// Sends the request; the queue calls this.
    public override func start() {
        guard !isCancelled else { return finish(.failure(CancellationError())) }
        announce("isExecuting") { $0.isExecuting = true }
        // The queue has no parent task for this one, so `cancel()` must cancel it.
        let task = Task { [self] in
            do {
                finish(.success(try await session.send(sent)))
            } catch {
                finish(.failure(error))
            }
        }
        state.withLock { $0.task = $0.result == nil ? task : nil }
        if isCancelled { task.cancel() }
    }

    /// Cancels the operation and its request. Idempotent.
    public override func cancel() {
        super.cancel()
        state.withLock { $0.task }?.cancel()
    }

    private func finish(_ result: Result<Sent.Output, any Error>) {
        announce("isExecuting") { $0.isExecuting = false }
        announce("isFinished") { state in
            state.task = nil
            state.result = result
        }
    }

    /// Changes the state with notifications for the two properties that queues observe by key.
    private func announce(_ key: String, _ change: (inout State) -> Void) {
        willChangeValue(forKey: key)
        state.withLock { change(&$0) }
        didChangeValue(forKey: key)
    }
}
