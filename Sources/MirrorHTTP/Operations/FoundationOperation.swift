import Foundation
import Synchronization

/// Runs any operation on a Foundation `OperationQueue`, with dependencies and priorities as the queue has them.
///
/// Cancelling it cancels the request at once. Its result stands in ``result`` when it is finished.
// @unchecked: `Operation` isn't Sendable on every platform; all state of this subclass is behind a Mutex.
public final class FoundationOperation<Sent: RequestOperation>: Operation, @unchecked Sendable {
    private struct State {
        var isExecuting = false
        var task: Task<Void, Never>?
        var result: Result<Sent.Output, any Error>?
    }

    private let state = Mutex(State())
    private let sent: Sent
    private let session: InterceptableSession

    public init(_ operation: Sent, session: InterceptableSession) {
        self.sent = operation
        self.session = session
    }

    /// `nil` until it is finished; a failure with `CancellationError` if it was cancelled.
    public var result: Result<Sent.Output, any Error>? { state.withLock { $0.result } }

    public override var isAsynchronous: Bool { true }
    public override var isExecuting: Bool { state.withLock { $0.isExecuting } }
    public override var isFinished: Bool { state.withLock { $0.result != nil } }

    public override func start() {
        guard !isCancelled else { return finish(.failure(CancellationError())) }
        announce("isExecuting") { $0.isExecuting = true }
        // The queue has no task that could be the parent of this one, so cancel() cancels it.
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

    /// Queues observe these two by key.
    private func announce(_ key: String, _ change: (inout State) -> Void) {
        willChangeValue(forKey: key)
        state.withLock { change(&$0) }
        didChangeValue(forKey: key)
    }
}
