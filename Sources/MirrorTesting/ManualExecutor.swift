import Synchronization

/// Runs its jobs one by one, in the order in which they came, on the thread that calls ``runAll()``.
///
/// A ``VirtualClock`` has one. Tasks that prefer it do nothing but in the clock's `settle()` and `advance(by:)`, so that a test
/// finds the same order each time.
public final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let (arrivals, arrived) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wake()
    }

    /// Returns when no job is left, those included that the jobs themselves add.
    public func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Returns when a job was added since this last returned, or ``wake()`` was called: a task awaited something outside of the
    /// test's time. For one caller at a time.
    func arrival() async {
        for await _ in arrivals { return }
    }

    /// Lets ``arrival()`` return.
    func wake() { arrived.yield() }
}
