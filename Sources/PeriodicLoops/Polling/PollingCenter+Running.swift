/// Carries out the decisions of the ``PollingTable``: starts and cancels tasks, and sets the alarm.
extension PollingCenter: AlarmOwner {
    /// Changes the table, and carries out the resulting effects before it returns.
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
        // A handler that never returns must not keep the centre alive.
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

    /// Changes the table, and waits until the running handlers of these items have ended.
    ///
    /// It doesn't wait for the calling handler, nor for a handler that waits for the calling one: both would deadlock.
    ///
    /// - Parameter ids: The items to wait for; nil for all.
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
