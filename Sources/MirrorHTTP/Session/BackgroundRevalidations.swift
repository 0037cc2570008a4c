import Synchronization

/// The validations that run after their stale answer was given (`stale-while-revalidate`): one an address at a time.
final class BackgroundRevalidations: Sendable {
    private let running = Mutex<[String: Task<Void, Never>]>([:])

    /// Starts the work unless the same is under way. It outlives the request that caused it, so it is a task of its own.
    func start(_ key: String, _ work: @escaping @Sendable () async -> Void) {
        running.withLock { running in
            guard running[key] == nil else { return }
            running[key] = Task {
                await work()
                self.running.withLock { $0[key] = nil }
            }
        }
    }

    /// Returns when none is under way; cancels them if the waiting task is cancelled.
    func finish() async {
        while let task = running.withLock({ $0.values.first }) {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                cancel()
            }
        }
    }

    func cancel() {
        for task in running.withLock({ Array($0.values) }) { task.cancel() }
    }
}

extension InterceptableSession {
    /// Waits for validations that `stale-while-revalidate` let come later; cancelling the caller ends them.
    public func finishRevalidations() async { await revalidations.finish() }

    func revalidateLater(_ hop: Hop, _ request: Request, _ entry: CacheEntry) {
        var request = request
        request.cache = .noCache
        let later = request
        revalidations.start(entry.key) {
            // A failure leaves the entry as it is: the next request tries again.
            _ = try? await self.answer(hop, for: later, known: nil)
        }
    }
}
