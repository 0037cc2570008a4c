import Synchronization

/// An executor that runs its jobs only in ``runAll()``, one by one, in the order in which they were added.
///
/// Each ``VirtualClock`` has one. Tasks that prefer it run only during the clock's `settle()` and `advance(by:)`, on the
/// calling thread, so that a test sees the same order each time.
public final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let (arrivals, arrived) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates an executor without jobs.
    public init() {}

    /// Adds a job, to be run by ``runAll()``. Called by the Swift runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wake()
    }

    /// Runs all jobs, including those that the jobs themselves add.
    public func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Waits until a job has been added since the last return, or ``wake()`` is called. For one caller at a time.
    ///
    /// Jobs are added from outside when a task has awaited something that isn't part of the virtual time.
    func arrival() async {
        for await _ in arrivals { return }
    }

    /// Makes ``arrival()`` return.
    func wake() { arrived.yield() }
}
