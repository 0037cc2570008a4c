import Synchronization

/// Carries out what a ``PollingTable`` decides: starts and cancels tasks, and sets the alarm.
final class PollingEngine: AlarmOwner {
    /// Who calls, if it is a handler: its engine and its run.
    struct Caller: Sendable {
        let engine: ObjectIdentifier
        let handle: RunHandle
    }

    @TaskLocal static var caller: Caller?

    private struct State {
        var table: PollingTable
        /// Which handlers wait for the ends of which others, so that none waits for itself.
        var waits = WaitGraph()
        var isOver = false
    }

    let clock: LoopClock
    private let executor: (any TaskExecutor)?
    private let alarm: Alarm
    private let state: Mutex<State>

    init(clock: LoopClock, executor: (any TaskExecutor)?, random: @escaping @Sendable () -> Double) {
        self.clock = clock
        self.executor = executor
        alarm = Alarm(clock: clock, executor: executor)
        state = Mutex(State(table: PollingTable(random: random)))
    }

    /// What `change` decides is carried out before this returns.
    func update<Result: Sendable>(_ change: (inout PollingTable, Duration) -> Result) -> Result {
        let now = clock.now()
        let (result, effects) = state.withLock { state in
            let result = change(&state.table, now)
            return (result, state.isOver ? PollingTable.Effects() : state.table.takeEffects())
        }
        for handle in effects.cancels { handle.cancel() }
        for start in effects.starts { run(start.item, start.handle) }
        alarm.ring(noLaterThan: effects.wake, self)
        return result
    }

    func read<Result: Sendable>(_ body: (borrowing PollingTable) -> Result) -> Result {
        state.withLock { body($0.table) }
    }

    func wake() { update { $0.wake(at: $1) } }

    private func run(_ item: Pollable, _ handle: RunHandle) {
        // A handler that never returns must not keep the centre's engine.
        handle.start(on: executor) { [weak self] in
            let caller = self.map { Caller(engine: ObjectIdentifier($0), handle: handle) }
            var failure: (any Error)?
            do {
                try await Self.$caller.withValue(caller) { try await item.handler() }
            } catch {
                failure = error
            }
            self?.update { [failure] in $0.ended(item.id, failure, at: $1) }
            handle.end()
        }
    }

    /// Makes a change, and returns when the handlers of these items that ran then have ended. It doesn't wait for the
    /// handler that calls it, nor for one that waits for the caller in turn.
    func updateAndWait<Result: Sendable>(
        _ ids: [String]?, _ change: (inout PollingTable, Duration) -> Result
    ) async -> Result {
        let (running, result) = update { table, now in
            let running = (ids ?? Array(table.runs.keys)).compactMap { table.runs[$0]?.handle }
            return (running, change(&table, now))
        }
        let caller = Self.caller.flatMap { $0.engine == ObjectIdentifier(self) ? $0.handle : nil }
        for handle in running {
            guard let caller else {
                await handle.waitForEnd()
                continue
            }
            guard state.withLock({ $0.waits.add(from: caller, to: handle) }) else { continue }
            await handle.waitForEnd()
            state.withLock { $0.waits.remove(from: caller, to: handle) }
        }
        return result
    }

    /// Nothing runs any more, whatever happens.
    func end() {
        alarm.end()
        let running = state.withLock { state in
            state.isOver = true
            defer { state.table = PollingTable(random: { 0 }) }
            return state.table.runs.values.map(\.handle)
        }
        for handle in running { handle.cancel() }
    }
}
