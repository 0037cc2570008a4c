/// Runs a server's tasks on the thread of its event loop.
///
/// An answer to a small request takes less time than it takes to wake another thread for it, so the connection, the
/// task that answers and the read from the database stay on one thread; what may take long is done ``Aside``.
final class LoopExecutor: TaskExecutor {
    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter execute: puts work at the end of the loop's queue.
    init(execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.execute = execute
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
