import NIOPosix
import Synchronization

/// Counts and limits the current requests.
///
/// Small answers are sent at once. The count consists mainly of lists and pictures that are being made, of writes, and of
/// answers that are being streamed.
final class RequestLoad: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    /// - Parameter limit: the maximum number of requests. Default: 512, more than dozens of clients need at a time.
    init(limit: Int = 512) { self.limit = limit }

    var isFull: Bool { count.load(ordering: .relaxed) >= limit }

    /// Counts a request until the returned ticket is released; `nil` if the limit is reached.
    func begin() -> ActiveRequest? {
        let ticket = ActiveRequest(self)
        return count.load(ordering: .relaxed) > limit ? nil : ticket
    }

    final class ActiveRequest: Sendable {
        private let load: RequestLoad

        fileprivate init(_ load: RequestLoad) {
            self.load = load
            load.count.add(1, ordering: .relaxed)
        }

        deinit { load.count.subtract(1, ordering: .relaxed) }
    }
}

/// Runs blocking work (long reads of the database, reads of files, drawing) on separate threads.
///
/// Swift's concurrency has only as many threads as the machine has cores. A few slow reads would block all other requests.
func offloadBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await readers.runIfActive(work)
}

/// Runs clients' writes one at a time, so that the data that a write has read doesn't change before it writes.
///
/// Writes have a separate thread: a write may wait for SQLite's lock for seconds, and must not delay reads.
func offloadWrite<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await writer.runIfActive(work)
}

/// Starts a pool's threads, with the first request. They are never stopped.
private func started(_ pool: NIOThreadPool) -> NIOThreadPool {
    pool.start()
    return pool
}

private let readers = started(NIOThreadPool(numberOfThreads: 8))
private let writer = started(NIOThreadPool(numberOfThreads: 1))
