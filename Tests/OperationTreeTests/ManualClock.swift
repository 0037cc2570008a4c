import OperationTree
import Synchronization

/// A clock that a test advances by hand.
final class ManualClock: Sendable {
    private struct State {
        var now = Duration.zero
        var sleepers: [Int: (wake: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// A run configuration that uses this clock.
    func configuration(lanes: [Lane: Int] = [:], timeLimit: Duration = .seconds(600)) -> RunConfiguration {
        var configuration = RunConfiguration(lanes: lanes, timeLimit: timeLimit)
        configuration.now = { self.now }
        configuration.sleep = { try await self.sleep(for: $0) }
        return configuration
    }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.wake <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if duration <= .zero { return .success(()) }
                    state.sleepers[id] = (state.now + duration, continuation)
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}

/// Suspends all callers of ``arrive()`` until the given number of them have arrived.
final class Rendezvous: Sendable {
    private struct State {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(of count: Int) { state = Mutex(State(missing: count)) }

    func arrive() async {
        await withCheckedContinuation { continuation in
            let complete = state.withLock { state in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in complete { continuation.resume() }
        }
    }
}

/// A counter that also records its maximum.
final class Gauge: Sendable {
    private let state = Mutex((now: 0, maximum: 0))
    var maximum: Int { state.withLock { $0.maximum } }
    var now: Int { state.withLock { $0.now } }
    func change(by amount: Int) {
        state.withLock { state in
            state.now += amount
            state.maximum = max(state.maximum, state.now)
        }
    }
}

/// Waits until the task is cancelled.
@Sendable func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    throw CancellationError()
}
