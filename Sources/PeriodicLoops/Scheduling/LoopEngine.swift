import Synchronization

/// Carries out what a ``LoopSchedule`` decides: one worker at a time, and an alarm for ticks and time limits.
final class LoopEngine: AlarmOwner {
    /// The engine whose worker calls, if one does.
    @TaskLocal static var workingFor: ObjectIdentifier?

    private struct State {
        var schedule: LoopSchedule
        var isOver = false
    }

    private let rules: EventsConfiguration
    private let alarm: Alarm
    private let settling = WaitingRoom()
    private let state: Mutex<State>

    init(_ rules: EventsConfiguration) {
        self.rules = rules
        alarm = Alarm(clock: rules.clock, executor: rules.executor)
        state = Mutex(State(schedule: LoopSchedule(rules: rules)))
    }

    /// What `change` decides is carried out before this returns.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout LoopSchedule, Duration) -> Result) -> Result {
        let now = rules.clock.now()
        let (result, effects, settled) = state.withLock { state in
            let result = change(&state.schedule, now)
            let effects = state.isOver ? LoopSchedule.Effects() : state.schedule.takeEffects()
            // Found under the lock: by the time that they are told, others may wait for what has begun since.
            return (result, effects, state.schedule.isSettled ? settling.empty() : nil)
        }
        for handle in effects.cancels { handle.cancel() }
        if let worker = effects.start { start(worker) }
        alarm.ring(noLaterThan: effects.wake, self)
        settled?.goOn()
        return result
    }

    func read<Result: Sendable>(_ body: (borrowing LoopSchedule) -> Result) -> Result {
        state.withLock { body($0.schedule) }
    }

    func wake() { update { $0.wake(at: $1) } }

    /// Makes a loop and enables it, unless it is enabled or someone else is about to.
    func enable(_ id: LoopID, isCore: Bool, _ make: () -> (any ScheduledLoop)?) -> Bool {
        // Made outside of the lock, so that it may read a database; the id is kept meanwhile.
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
    func reset(to core: any ScheduledLoop) {
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

    /// Nothing runs any more, whatever happens.
    func end() {
        let effects = state.withLock { state in
            state.schedule.reset(to: nil, at: rules.clock.now())
            state.isOver = true
            return state.schedule.takeEffects()
        }
        alarm.end()
        for handle in effects.cancels { handle.cancel() }
        settling.open()
    }

    // MARK: Worker

    private func start(_ worker: RunHandle) {
        // A loop that never returns must not keep the scheduler's engine.
        worker.start(on: rules.executor) { [weak self] in
            await Self.$workingFor.withValue(self.map(ObjectIdentifier.init)) {
                var next = self?.update { $0.next(worker, at: $1) }
                while let operation = next {
                    let outcome = await Self.attempt(operation) { () throws(LoopError) in
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

    private static func attempt(
        _ operation: LoopOperation, _ enter: () throws(LoopError) -> Void
    ) async -> Result<PageResult, any Error> {
        if case .report(let error) = operation.work { return .failure(error) }
        do {
            return .success(try await operation.loop.perform(operation, enter))
        } catch {
            return .failure(error)
        }
    }

    /// Tells the loop what it has to know, and returns the next operation.
    private func conclude(
        _ operation: LoopOperation, _ outcome: Result<PageResult, any Error>, _ worker: RunHandle
    ) async -> LoopOperation? {
        var page: PageResult?
        switch outcome {
        case .success(let result):
            // The usual case is one change of the state: a thousand idle loops take a thousand of these.
            let step = update { schedule, now -> Step in
                if let health = schedule.succeeded(operation, at: now) { return .tell(health) }
                schedule.ended(operation, result, at: now)
                return .goOn(schedule.next(worker, at: now))
            }
            switch step {
            case .goOn(let next): return next
            case .tell(let health):
                if enter(.reporting, operation) { await operation.loop.healthChanged(to: health) }
            }
            page = result
        case .failure(let error):
            if enter(.reporting, operation) { await report(error, operation) }
        }
        return update { [page] schedule, now in
            schedule.ended(operation, page, at: now)
            return schedule.next(worker, at: now)
        }
    }

    private enum Step: Sendable {
        case tell(LoopHealth)
        case goOn(LoopOperation?)
    }

    private func report(_ error: any Error, _ operation: LoopOperation) async {
        let failure = await operation.loop.onError(error)
        let random = rules.random()
        if let health = update({ $0.failed(operation, failure, at: $1, random: random) }) {
            await operation.loop.healthChanged(to: health)
        }
    }
}
