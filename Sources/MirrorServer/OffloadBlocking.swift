import NIOPosix

/// Runs blocking work (long reads of the database, reads of files, drawing) on threads kept for it.
///
/// Swift's own threads are as few as there are cores: a few slow reads on them would hold up every other request.
func offloadBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await readers.runIfActive(work)
}

/// Runs clients' writes, one at a time: what one looked at before is still so when it writes.
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
