import Synchronization

/// One step of a sync's progress: the events since the previous step, and the current state.
///
/// ``SyncMonitor/progress(every:)`` makes a sequence of them.
public struct SyncProgress: Sendable {
    /// The progress at this moment; `nil` before the tree runs.
    public let snapshot: SyncMonitor.Snapshot?
    /// Why the sync waits at this moment; `nil` if it doesn't wait.
    public let waiting: Waiting?
    /// The events since the previous step, in order; at most ``mostEvents``.
    public let events: [SyncMonitor.Event]
    /// The number of events beyond ``mostEvents``. The problems among them are also in the summary.
    public let furtherEvents: Int

    /// The most events of a step.
    public static let mostEvents = 1_000
}

/// The asynchronous sequence of a sync's progress, made by ``SyncMonitor/progress(every:)``.
public struct SyncProgressSequence: AsyncSequence, Sendable {
    /// A step of the progress.
    public typealias Element = SyncProgress
    /// The sequence never fails: the sync itself reports its errors.
    public typealias Failure = Never

    let monitor: SyncMonitor
    let listener: ProgressListener
    let interval: Duration
    let sleep: @Sendable (Duration) async throws -> Void

    /// An iterator. Use one only: two loops would share the events.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Waits for each step.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: SyncProgressSequence
        private var hasEnded = false

        init(sequence: SyncProgressSequence) { self.sequence = sequence }

        /// The next step; `nil` after the last step, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SyncProgress?
        {
            let (monitor, listener) = (sequence.monitor, sequence.listener)
            guard !hasEnded else { return nil }
            await listener.wait(sequence.interval, sequence.sleep)
            let (events, further, isOver) = listener.take()
            hasEnded = isOver || Task.isCancelled
            guard !Task.isCancelled else { return nil }
            return SyncProgress(
                snapshot: monitor.snapshot, waiting: monitor.waiting, events: events, furtherEvents: further)
        }
    }
}

/// Collects a monitor's events from one step to the next.
final class ProgressListener: Sendable {
    private struct State {
        var events: [SyncMonitor.Event] = []
        var further = 0
        /// Whether the sync has ended.
        var isOver = false
        /// The sleep until the next step.
        var tick: Task<Void, any Error>?
    }

    private let state = Mutex(State())

    func add(_ event: SyncMonitor.Event) {
        state.withLock { state in
            if state.events.count < SyncProgress.mostEvents {
                state.events.append(event)
            } else {
                state.further += 1
            }
        }
    }

    /// Notes that the sync has ended, and ends the current wait.
    func end() {
        let tick = state.withLock { state in
            state.isOver = true
            return state.tick
        }
        tick?.cancel()
    }

    /// Waits for the interval; shorter if the sync ends or the task is cancelled.
    func wait(_ interval: Duration, _ sleep: @escaping @Sendable (Duration) async throws -> Void) async {
        let tick = Task { try await sleep(interval) }
        let isOver = state.withLock { state in
            state.tick = tick
            return state.isOver
        }
        if isOver { tick.cancel() }
        await withTaskCancellationHandler {
            _ = await tick.result
        } onCancel: {
            tick.cancel()
        }
        state.withLock { $0.tick = nil }
    }

    /// Removes and returns the collected events; `isOver` is true if no further ones will follow.
    func take() -> (events: [SyncMonitor.Event], further: Int, isOver: Bool) {
        state.withLock { state in
            defer { (state.events, state.further) = ([], 0) }
            return (state.events, state.further, state.isOver)
        }
    }
}
