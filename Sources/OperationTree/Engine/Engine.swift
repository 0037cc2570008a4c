import Synchronization

/// Runs a plan once. All mutable state is one value under one lock.
///
/// Workers take work from the schedule, do it without the lock, and report its result.
final class Engine: Sendable {
    struct State {
        var schedule: Schedule
        var ledger: Ledger
        /// The state of shared items, by node and fingerprint. Empty for nodes with one parent.
        var sharedItems: [[Fingerprint: SharedItemState]]
        /// The number of scopes that wait for parked items of shared nodes. At most ``RunConfiguration/retryLimit``.
        var parkedWaiters = 0
        var idle: [UnsafeContinuation<Bool, Never>] = []
        /// The number of woken workers that haven't asked for work yet. One at a time is enough: each wakes the next.
        var waking = 0
    }

    let plan: Plan
    let configuration: RunConfiguration
    let limits: [Duration]
    let events: EventBroadcast
    let state: Mutex<State>

    init(plan: Plan, configuration: RunConfiguration) {
        self.plan = plan
        self.configuration = configuration
        limits = plan.infos.map { $0.timeLimit ?? configuration.timeLimit }
        events = EventBroadcast(buffer: configuration.eventBuffer)
        state = Mutex(
            State(
                schedule: Schedule(plan: plan, configuration: configuration),
                ledger: Ledger(names: plan.infos.map(\.name), limit: configuration.failureLimit),
                sharedItems: Array(repeating: [:], count: plan.places.count)))
    }

    func emit(_ event: () -> Event) { events.emit(event) }

    /// Changes the state, and wakes workers if the change makes work available.
    ///
    /// - Parameter isLast: Whether the calling worker asks for work right after this call. If so, no worker is woken,
    ///   because the caller mostly takes the only work. If there is more, its request wakes the next worker. The end of
    ///   the run wakes all workers at once.
    func update<Result>(
        isLast: Bool = false, _ change: (inout sending State) -> sending Result
    ) -> sending Result {
        let (result, woken) = state.withLock { state in
            let result = change(&state)
            return (result, isLast && !state.schedule.isDone ? [] : state.wake())
        }
        for continuation in woken { continuation.resume(returning: true) }
        return result
    }

    // MARK: Workers

    func execute(_ root: Scope, mode: RunMode) async -> Outcome {
        update { $0.add(root) }
        await withTaskCancellationHandler {
            switch mode {
            case .synchronous: _ = await run(Worker(engine: self))
            case .concurrent: await runConcurrently()
            }
        } onCancel: {
            stop(.cancelled)
        }
        events.end()
        return state.withLock { $0.ledger.outcome(droppedEvents: events.dropped) }
    }

    private func runConcurrently() async {
        let workers = (0..<state.withLock { $0.schedule.workers }).map { _ in Worker(engine: self) }
        await withTaskGroup(of: Worker?.self) { group in
            for worker in workers { group.addTask { await self.run(worker) } }
            group.addTask {
                await self.watch(workers)
                return nil
            }
            while let spent = await group.next() {
                if let spent {
                    group.addTask { await self.run(spent) }
                } else {
                    // A worker, or the watchdog, returns nil only when the run has ended. The others must stop too.
                    group.cancelAll()
                }
            }
        }
    }

    /// Works until the run ends, or until the worker is spent and needs a new task.
    ///
    /// - Returns: The worker if it is spent; otherwise nil.
    private func run(_ worker: Worker) async -> Worker? {
        await worker.withCancellableTask {
            while true {
                switch takeWork() {
                case .expand(let scope): await scope.work.expand(scope, on: worker)
                case .advance(let scope): await scope.work.advance(scope, on: worker)
                case .retry(let retry): await retry(worker)
                case .finish(let scope): await scope.work.finish(scope, on: worker)
                case .wait: await waitForWork()
                case .done: return nil
                }
                if worker.isSpent { return worker }
            }
        }
    }

    private func takeWork() -> Schedule.Decision {
        if Task.isCancelled { stop(.cancelled) }
        return update { $0.take() }
    }

    private func waitForWork() async {
        let wasIdle = await withUnsafeContinuation { (continuation: UnsafeContinuation<Bool, Never>) in
            let isNeeded = state.withLock { state in
                if state.schedule.isDone || state.schedule.hasWork { return true }
                state.idle.append(continuation)
                return false
            }
            if isNeeded { continuation.resume(returning: false) }
        }
        if wasIdle { state.withLock { $0.waking -= 1 } }
    }

    /// Cancels work that exceeds its time limit. Sleeps until the earliest possible deadline, and checks again.
    private func watch(_ workers: [Worker]) async {
        let shortest = limits.min() ?? configuration.timeLimit
        while !Task.isCancelled {
            let now = configuration.now()
            let wait = workers.reduce(shortest) { min($0, $1.expire(at: now) ?? shortest) }
            // Throws only when cancelled: the run has ended.
            guard (try? await configuration.sleep(wait)) != nil else { return }
        }
    }

    /// Ends the run. Waiting work is dropped, and the task group cancels the work in progress. Only the first call has
    /// an effect.
    func stop(_ stopState: Outcome.State) {
        update { state in
            guard !state.schedule.isDone else { return }
            state.ledger.stopState = stopState
            state.schedule.stop()
        }
    }
}
