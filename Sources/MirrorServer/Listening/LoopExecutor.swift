import Synchronization

/// Runs a server's tasks on the thread of its event loop.
///
/// An answer to a small request takes less time than it takes to wake another thread for it, so the connection, the
/// task that answers and the read from the database stay on one thread; what may take long is done ``Aside``.
///
/// A loop looks at its connections only when its queue is empty, and a connection on which hundreds of requests wait
/// refills it with every answer. So the queue takes so many jobs only; what comes then waits until the loop has looked
/// at its connections: new ones are heard, and those that were closed are let go of, however much the others ask for.
final class LoopExecutor: TaskExecutor {
    typealias Work = @Sendable () -> Void

    private struct State {
        var left: Int
        var waiting: [UnownedJob] = []
        var isWaiting = false
    }

    /// How many jobs run between two looks at the connections: about a millisecond's worth.
    private let turn: Int
    private let execute: @Sendable (@escaping Work) -> Void
    private let executeLater: @Sendable (@escaping Work) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - execute: puts work at the end of the loop's queue.
    ///   - executeLater: runs work when the loop has looked at its connections.
    init(
        turn: Int = 64, execute: @escaping @Sendable (@escaping Work) -> Void,
        executeLater: @escaping @Sendable (@escaping Work) -> Void
    ) {
        self.turn = turn
        self.execute = execute
        self.executeLater = executeLater
        state = Mutex(State(left: turn))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isNow, isFirst) = state.withLock { state in
            if state.left > 0, !state.isWaiting {
                state.left -= 1
                return (true, false)
            }
            state.waiting.append(job)
            defer { state.isWaiting = true }
            return (false, !state.isWaiting)
        }
        if isNow { execute { [self] in run(job) } }
        if isFirst { executeLater { [self] in nextTurn() } }
    }

    private func nextTurn() {
        let (jobs, goesOn) = state.withLock { state in
            let jobs = Array(state.waiting.prefix(turn))
            state.waiting.removeFirst(jobs.count)
            state.left = turn - jobs.count
            state.isWaiting = !state.waiting.isEmpty
            return (jobs, state.isWaiting)
        }
        for job in jobs { run(job) }
        if goesOn { executeLater { [self] in nextTurn() } }
    }

    private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
