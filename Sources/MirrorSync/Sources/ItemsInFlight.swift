import Synchronization

/// Lets the items in flight end before an error ends the run, so that answers that were already sent are stored.
///
/// When the source allows no further requests, each item in flight gets its answer, or finds out the same
/// (``SyncEnvironment/paused(by:)``). The run ends when all have done so.
final class ItemsInFlight: Sendable {
    private struct State {
        var active = 0
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// Those that wait, if nothing else is in flight.
        mutating func ready() -> [CheckedContinuation<Void, Never>] {
            guard waiting.count >= active else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Mutex(State())

    /// Performs an item.
    func performing<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        state.withLock { $0.active += 1 }
        defer {
            let ready = state.withLock { state in
                state.active -= 1
                return state.ready()
            }
            for continuation in ready { continuation.resume() }
        }
        return try await work()
    }

    /// Waits until all items in flight have ended, or wait, too.
    func waitForOthers() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiting.append(continuation)
                return state.ready()
            }
            for continuation in ready { continuation.resume() }
        }
    }
}
