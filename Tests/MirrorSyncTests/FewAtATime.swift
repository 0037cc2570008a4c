import Synchronization
import Testing

/// Limits how many tests run concurrently.
///
/// Swift Testing starts all tests at once. Without a limit, hundreds of databases would be open, with more file descriptors
/// than a process may have.
struct FewAtATime: SuiteTrait, TestTrait, TestScoping {
    private static let turnstile = Turnstile(width: 8)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.turnstile.enter()
        defer { Self.turnstile.leave() }
        try await function()
    }
}

extension Trait where Self == FewAtATime {
    static var fewAtATime: FewAtATime { FewAtATime() }
}

/// A semaphore: `width` tasks may enter, the others wait in order of arrival.
private final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(width: Int) { state = Mutex(State(free: width)) }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
