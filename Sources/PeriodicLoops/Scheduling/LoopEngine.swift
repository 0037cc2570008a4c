import Synchronization

/// Carries out what a ``LoopSchedule`` decides: one worker at a time, and an alarm for ticks and time limits.
final class LoopEngine: AlarmOwner {
    /// The engine whose worker calls, if one does.
    @TaskLocal static var workingFor: ObjectIdentifier?

    private let rules: EventsConfiguration
    private let alarm: Alarm
    private let settling = WaitingRoom()
    private let schedule: Mutex<LoopSchedule>

    init(_ rules: EventsConfiguration) {
        self.rules = rules
        alarm = Alarm(clock: rules.clock, executor: rules.executor)
        schedule = Mutex(LoopSchedule(rules: rules))
    }

    /// What `change` decides is carried out before this returns.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout LoopSchedule, Duration) -> Result) -> Result {
        let now = rules.clock.now()
        let (result, effects, settled) = schedule.withLock { schedule in
            let result = change(&schedule, now)
            let effects = schedule.takeEffects()
            // Taken under the lock: those who begin to wait after it wait for work that begins after it.
            return (result, effects, schedule.isSettled ? settling.empty() : [])
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

    /// Makes a loop and enables it, unless it is enabled or another caller is about to enable it.
    func enable(_ id: LoopID, isCore: Bool, _ make: () -> (any EventsLoop)?) -> Bool {
        // Made outside of the lock, so that it may read a database; the id is reserved meanwhile.
        guard let number = update({ schedule, _ in schedule.roster.reserve(id) }) else { return false }
        let loop = make()
        let stored = loop?.storedHealth ?? LoopHealth()
        return update { schedule, now in
            guard schedule.roster.redeem(id, number), let loop else { return false }
            let health = schedule.rules.escalation.restored(stored, at: now)
            schedule.roster.add(LoopEntry(loop, isCore: isCore, health: health))
            return true
        }
    }

    /// As new, with the core loop alone.
    func reset(to core: any EventsLoop) {
        let stored = core.storedHealth
        update { schedule, now in
            let health = schedule.rules.escalation.restored(stored, at: now)
            schedule.reset(to: LoopEntry(core, isCore: true, health: health), at: now)
        }
    }

    /// Returns when nothing runs and nothing is about to. A worker doesn't wait for itself.
    func settled() async {
        if Self.workingFor == ObjectIdentifier(self) { return }
        await settling.wait { read { $0.isSettled } }
    }

    /// Nothing runs any more. The scheduler is gone, so nothing is enabled or started again.
    func end() {
        alarm.end()
        update { $0.reset(to: nil, at: $1) }
        settling.open()
    }

    // MARK: Worker

    private func start(_ worker: RunHandle) {
        // A loop that never returns must not keep the scheduler's engine.
        worker.start(on: rules.executor) { [weak self] in
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
        let random = rules.random()
        if let health = update({ $0.failed(operation, failure, at: $1, random: random) }) {
            await operation.loop.healthChanged(to: health)
        }
    }
}
