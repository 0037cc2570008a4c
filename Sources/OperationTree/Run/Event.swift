import Synchronization

/// One thing that happened in a run, for progress displays.
///
/// Events may be dropped if a stream's buffer is full. Counts and outcomes are always exact.
public enum Event: Sendable {
    /// An input was expanded to a list. `count` is the number of items, if the step announced it.
    case expanded(node: String, list: String, count: Int?)
    /// The first try of an item begins.
    case started(node: String, item: String)
    /// An item produced `count` outputs.
    case emitted(node: String, item: String, count: Int)
    /// The second try of an item begins; of a list if `item` is nil.
    case retried(node: String, list: String, item: String?)
    /// A try failed.
    case failed(Failure, willRetry: Bool)
    /// An item succeeded.
    case finished(node: String, item: String)
    /// An input's list and its whole subtree have ended.
    case closed(node: String, list: String, scope: SubtreeOutcome)
}

/// Sends events to all streams. Without streams, an event costs one relaxed load.
final class EventBroadcast: Sendable {
    private struct State {
        var listeners: [AsyncStream<Event>.Continuation] = []
        var dropped = 0
        var hasEnded = false
    }

    private let buffer: Int
    private let hasListeners = Atomic<Bool>(false)
    private let state = Mutex(State())

    init(buffer: Int) { self.buffer = buffer }

    var dropped: Int { state.withLock { $0.dropped } }

    func stream() -> AsyncStream<Event> {
        let (stream, listener) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(buffer))
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.listeners.append(listener) }
            return state.hasEnded
        }
        if hasEnded { listener.finish() } else { hasListeners.store(true, ordering: .relaxed) }
        return stream
    }

    func emit(_ event: () -> Event) {
        guard hasListeners.load(ordering: .relaxed) else { return }
        let event = event()
        state.withLock { state in
            for listener in state.listeners {
                if case .dropped = listener.yield(event) { state.dropped += 1 }
            }
        }
    }

    func end() {
        let listeners = state.withLock { state in
            state.hasEnded = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.finish() }
    }
}
