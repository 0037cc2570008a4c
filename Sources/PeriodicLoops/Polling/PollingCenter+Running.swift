/// Carries out what the ``PollingTable`` decides: starts and cancels tasks, and sets the alarm.
extension PollingCenter: AlarmOwner {
    /// What `change` decides is carried out before this returns.
    func update<Result: Sendable>(_ change: (inout PollingTable, Duration) -> Result) -> Result {
        let now = clock.now()
        let (result, effects) = table.withLock { table in
            let result = change(&table, now)
            return (result, table.takeEffects())
        }
        for handle in effects.cancels { handle.cancel() }
        for start in effects.starts { run(start.item, start.handle) }
        alarm.ring(noLaterThan: effects.wake, self)
        return result
    }

    func wake() { update { $0.wake(at: $1) } }

    private func run(_ item: PolledItem, _ handle: RunHandle) {
        // A handler that never returns must not keep the centre.
        handle.start(on: executor) { [weak self] in
            var failure: (any Error)?
            do {
                try await Self.$caller.withValue(handle) { try await item.item.poll() }
            } catch {
                failure = error
            }
            self?.update { [failure] in $0.ended(item.id, failure, at: $1) }
            handle.end()
        }
    }

    /// Makes a change, and returns when the handlers of these items, or of all, that ran then have ended. It doesn't wait
    /// for the handler that calls it, nor for one that waits for the caller in turn.
    func updateAndWait<Result: Sendable>(
        _ ids: [String]?, _ change: (inout PollingTable, Duration) -> Result
    ) async -> Result {
        let (running, result) = update { table, now in
            let running = (ids ?? Array(table.runs.keys)).compactMap { table.runs[$0]?.handle }
            return (running, change(&table, now))
        }
        for handle in running {
            guard let caller = Self.caller else {
                await handle.waitForEnd()
                continue
            }
            guard table.withLock({ $0.wait(caller, for: handle) }) else { continue }
            await handle.waitForEnd()
            table.withLock { $0.endWait(caller, for: handle) }
        }
        return result
    }
}
