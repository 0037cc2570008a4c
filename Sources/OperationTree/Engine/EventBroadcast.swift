import Synchronization

/// Hands events to whoever asked for them. As long as nobody has, an event costs one relaxed load.
final class EventBroadcast: Sendable {
    private struct State {
        var listeners: [AsyncStream<Event>.Continuation] = []
        var dropped = 0
        var hasEnded = false
    }

    private let buffer: Int
    private let isHeard = Atomic<Bool>(false)
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
        if hasEnded { listener.finish() } else { isHeard.store(true, ordering: .relaxed) }
        return stream
    }

    func emit(_ event: () -> Event) {
        guard isHeard.load(ordering: .relaxed) else { return }
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
