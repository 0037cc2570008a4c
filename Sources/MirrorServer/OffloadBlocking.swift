import NIOPosix

/// Runs blocking work (reads and writes of the database, reads of files, drawing) on threads kept for it.
///
/// Swift's own threads are as few as there are cores: a few slow reads on them would hold up every other request.
func offloadBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await threads.runIfActive(work)
}

/// As many threads as one client has connections. Started with the first request, never stopped.
private let threads: NIOThreadPool = {
    let pool = NIOThreadPool(numberOfThreads: 16)
    pool.start()
    return pool
}()
