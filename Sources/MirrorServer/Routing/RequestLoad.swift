import NIOPosix
import Synchronization

/// Counts the requests that are under way, and limits them.
///
/// Small answers are made and gone at once; what counts is what waits: lists and pictures that are being made, writes,
/// answers that a connection has not taken yet.
final class RequestLoad: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    /// - Parameter limit: far more than some dozens of clients ask at a time.
    init(limit: Int = 512) { self.limit = limit }

    var isFull: Bool { count.load(ordering: .relaxed) >= limit }

    /// A request's place, given back when nobody holds it any more; `nil` if there is none.
    func begin() -> Ticket? {
        let ticket = Ticket(self)
        return count.load(ordering: .relaxed) > limit ? nil : ticket
    }

    final class Ticket: Sendable {
        private let load: RequestLoad

        fileprivate init(_ load: RequestLoad) {
            self.load = load
            load.count.add(1, ordering: .relaxed)
        }

        deinit { load.count.subtract(1, ordering: .relaxed) }
    }
}

/// Runs blocking work (long reads of the database, reads of files, drawing) on threads kept for it.
///
/// Swift's own threads are as few as there are cores: a few slow reads on them would hold up every other request.
func offloadBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await readers.runIfActive(work)
}

/// Runs clients' writes, one at a time: what a write has read doesn't change before it writes.
///
/// On a thread of its own: a write may wait for SQLite's lock for seconds, and no read waits with it.
func offloadWrite<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await writer.runIfActive(work)
}

/// Threads are started with the first request, and never stopped.
private func started(_ pool: NIOThreadPool) -> NIOThreadPool {
    pool.start()
    return pool
}

private let readers = started(NIOThreadPool(numberOfThreads: 8))
private let writer = started(NIOThreadPool(numberOfThreads: 1))
