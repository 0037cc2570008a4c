import Synchronization

/// Carries out the decisions of a ``LoopSchedule``, with one worker at a time and an alarm for ticks and time limits.
final class LoopEngine: AlarmOwner {
    /// The engine whose worker the current task is; nil in other tasks.
    @TaskLocal static var workingFor: ObjectIdentifier?

    private let configuration: EventsConfiguration
    private let alarm: Alarm
    private let settlementWaiters = WaitingTasks()
    private let schedule: Mutex<LoopSchedule>

    init(_ configuration: EventsConfiguration) {
        self.configuration = configuration
        alarm = Alarm(clock: configuration.clock, executor: configuration.executor)
        schedule = Mutex(LoopSchedule(configuration: configuration))
    }

    /// Changes the schedule, and carries out the resulting effects before it returns.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout LoopSchedule, Duration) -> Result) -> Result {
        let now = configuration.clock.now()
        let (result, effects, settled) = schedule.withLock { schedule in
            let result = change(&schedule, now)
            let effects = schedule.takeEffects()
            // Taken under the lock: tasks that begin to wait later wait for work that begins later.
            return (result, effects, schedule.isSettled ? settlementWaiters.removeAll() : [])
        }
        for handle in effects.cancels { handle.cancel() }
        if let worker = effects.start { start(worker) }
        alarm.ring(noLaterThan: effects.wake, self)
        for continuation in settled { continuation.resume() }
        return result
    }

    func read<Result: Sendable>(_ body: (borrowing LoopSchedule) -> Result) -> Result {
        schedule.withLock { body($0) }
    }

    func wake() { update { $0.wake(at: $1) } }

    /// Creates a loop and enables it, unless it is already enabled or another caller is enabling it.
    func enable(_ id: LoopID, isCore: Bool, _ make: () -> (any EventsLoop)?) -> Bool {
        // The loop is created without the lock, because it may read a database. Its id is reserved in the meantime.
        guard let number = update({ schedule, _ in schedule.roster.reserve(id) }) else { return false }
        let loop = make()
        let stored = loop?.storedHealth ?? LoopHealth()
        return update { schedule, now in
            guard schedule.roster.endReservation(id, number), let loop else { return false }
            let health = schedule.configuration.escalation.restored(stored, at: now)
            schedule.roster.add(LoopEntry(loop, isCore: isCore, health: health))
            return true
        }
    }

    /// Resets the schedule to its initial state, with only the core loop.
    func reset(to core: any EventsLoop) {
        let stored = core.storedHealth
        update { schedule, now in
            let health = schedule.configuration.escalation.restored(stored, at: now)
            schedule.reset(to: LoopEntry(core, isCore: true, health: health), at: now)
        }
    }

    /// Waits until no operation runs and none is about to. Called from the worker, it returns at once.
    func settled() async {
        if Self.workingFor == ObjectIdentifier(self) { return }
        await settlementWaiters.wait { read { $0.isSettled } }
    }

    /// Cancels all work. Called when the scheduler is released, so nothing is enabled or started afterwards.
    func end() {
        alarm.end()
        update { $0.reset(to: nil, at: $1) }
        settlementWaiters.open()
    }

    // MARK: Worker

    private func start(_ worker: RunHandle) {
        // A loop that never returns must not keep the engine alive.
        worker.start(on: configuration.executor) { [weak self] in
            await Self.$workingFor.withValue(self.map(ObjectIdentifier.init)) {
                var next = self?.update { $0.next(worker, at: $1) }
                while let operation = next {
                    let outcome = await operation.attempt { () throws(LoopError) in
                        guard self?.enter(.processing, operation) == true else { throw .cancelled }
                    }
                    next = await self?.conclude(operation, outcome, worker)
                }
            }
        }
    }

    private func enter(_ activity: LoopStatus.Activity, _ operation: LoopOperation) -> Bool {
        update { $0.enter(activity, operation, at: $1) }
    }

    /// Reports a failure or a recovery to the loop, and returns the next operation.
    private func conclude(
        _ operation: LoopOperation, _ outcome: Result<PageResult, any Error>, _ worker: RunHandle
    ) async -> LoopOperation? {
        switch outcome {
        case .success:
            let health = update { $0.succeeded(operation, at: $1) }
            if let health, enter(.reporting, operation) { await operation.loop.healthChanged(to: health) }
        case .failure(let error):
            if enter(.reporting, operation) { await report(error, operation) }
        }
        return update { schedule, now in
            schedule.ended(operation, try? outcome.get(), at: now)
            return schedule.next(worker, at: now)
        }
    }

    private func report(_ error: any Error, _ operation: LoopOperation) async {
        let failure = await operation.loop.onError(error)
        let random = configuration.random()
        if let health = update({ $0.failed(operation, failure, at: $1, random: random) }) {
            await operation.loop.healthChanged(to: health)
        }
    }
}
