import Synchronization

/// What happened in a sync since the step before, and how far it is: one step of ``SyncMonitor/progress(every:)``.
public struct SyncProgress: Sendable {
    /// How far the sync is; `nil` before the tree runs.
    public let snapshot: SyncMonitor.Snapshot?
    /// What the whole sync waits for at this moment; `nil` if it goes on.
    public let waiting: Waiting?
    /// Items, problems and waits since the step before, in their order; at most ``mostEvents``.
    public let events: [SyncMonitor.Event]
    /// How many more events there were, which are only counted. The problems among them are in the summary as well.
    public let furtherEvents: Int

    /// The most events that are kept from one step to the next.
    public static let mostEvents = 1_000
}

/// The steps of a sync's progress: what ``SyncMonitor/progress(every:)`` makes.
public struct SyncProgressSequence: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = SyncProgress
    /// The sequence doesn't fail: the sync's errors are its own.
    public typealias Failure = Never

    let monitor: SyncMonitor
    let listener: ProgressListener
    let interval: Duration
    let sleep: @Sendable (Duration) async throws -> Void

    /// An iterator; one loop gets all the steps.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Waits for the steps.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: SyncProgressSequence
        private var hasEnded = false

        init(sequence: SyncProgressSequence) { self.sequence = sequence }

        /// The next step; `nil` after the sync's end, or as soon as the task is cancelled.
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

/// Keeps a monitor's events from one step to the next.
final class ProgressListener: Sendable {
    private struct State {
        var events: [SyncMonitor.Event] = []
        var further = 0
        var isOver = false
        /// Ends when the next step is due.
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

    /// The run has ended: whoever waits for the next step goes on at once.
    func end() {
        let tick = state.withLock { state in
            state.isOver = true
            return state.tick
        }
        tick?.cancel()
    }

    /// Waits that long, until the run has ended, or the task is cancelled.
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

    /// What was kept, which is forgotten, and whether that was all.
    func take() -> (events: [SyncMonitor.Event], further: Int, isOver: Bool) {
        state.withLock { state in
            defer { (state.events, state.further) = ([], 0) }
            return (state.events, state.further, state.isOver)
        }
    }
}
