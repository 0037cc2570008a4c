/// The choice of operations, and the consequences of their results.
extension LoopSchedule {
    /// The next operation of this worker; nil if the worker must end.
    mutating func next(_ worker: RunHandle, at now: Duration) -> LoopOperation? {
        guard self.worker === worker else { return nil }
        running = phase == .running ? nextOperation(at: now) : nil
        if running == nil { self.worker = nil }
        running?.deadline = now + configuration.pollLimit
        return running
    }

    private mutating func nextOperation(at now: Duration) -> LoopOperation? {
        if !reports.isEmpty { return reports.removeFirst() }
        while !queue.isEmpty {
            let entry = queue.removeFirst()
            (entry.isQueued, entry.isTriggered) = (false, false)
            if abandonedOperations[entry.id] == nil {
                return LoopOperation(entry, entry.health.isReset ? .reset : .page)
            }
            // A loop that may hang isn't called again: each call could leave another hanging task behind.
            recordFailure(.stillRunning, of: entry, at: now)
        }
        return nil
    }

    /// Cancels the running operation. It can't commit, its result is ignored, and it is abandoned if it doesn't return
    /// within the poll limit.
    mutating func cancelRunning(at now: Duration) {
        guard let running, !running.isCancelled else { return }
        running.ticket.revoke()
        running.isCancelled = true
        let deadline = now + configuration.pollLimit
        running.deadline = min(running.deadline ?? deadline, deadline)
        if let worker { cancels.append(worker) }
    }

    /// Abandons an operation that exceeded its time limit, so that the next one can begin.
    mutating func abandon(_ operation: LoopOperation, at now: Duration) {
        let entry = operation.entry
        operation.ticket.revoke()
        abandonedOperations[entry.id] = operation
        if let worker { cancels.append(worker) }
        (running, worker) = (nil, nil)
        guard !operation.isCancelled else { return }
        queueCoreFirst(after: entry, at: now)
        let name = "loop \(entry.id)"
        switch operation.activity {
        case .processing:
            let limit = configuration.processLimit ?? configuration.pollLimit
            reports.append(LoopOperation(entry, .report(.timedOut("Processing of \(name)", after: limit))))
        case .reporting:
            // The error handling itself hangs, so it isn't called for this failure.
            recordFailure(
                .timedOut("The error handling of \(name)", after: configuration.pollLimit), of: entry, at: now
            )
        case .polling, .waiting, .queued:
            let error = LoopError.timedOut("Polling of \(name)", after: configuration.pollLimit)
            reports.append(LoopOperation(entry, .report(error)))
        }
    }

    /// Queues the core loop first. A hanging loop has delayed it, and the next loop may hang as well.
    private mutating func queueCoreFirst(after entry: LoopEntry, at now: Duration) {
        guard phase == .running, let core = roster.entries.first, core.status.isCore, core !== entry,
            core.health.isDue(at: now)
        else { return }
        core.pages = 0
        unqueue(core)
        core.isQueued = true
        queue.insert(core, at: 0)
    }

    /// Counts a failure without calling the loop.
    private mutating func recordFailure(_ error: LoopError, of entry: LoopEntry, at now: Duration) {
        entry.status.failedTries += 1
        let health = configuration.escalation.health(
            after: .unreachable(error.message), of: entry.health, at: now, random: configuration.random())
        if let health { entry.health = health }
    }

    /// Whether the operation is the running one and isn't cancelled.
    private func isCurrent(_ operation: LoopOperation) -> Bool {
        running === operation && !operation.isCancelled
    }

    /// Moves the operation to another activity, with a new deadline. Returns false if it was cancelled or abandoned.
    mutating func enter(_ activity: LoopStatus.Activity, _ operation: LoopOperation, at now: Duration) -> Bool
    {
        guard isCurrent(operation) else { return false }
        let limit = activity == .processing ? configuration.processLimit : configuration.pollLimit
        operation.activity = activity
        operation.deadline = limit.map { now + $0 }
        return true
    }

    /// Records a success. Returns the health to report; nil if the loop was healthy before, or the operation was
    /// cancelled or abandoned.
    mutating func succeeded(_ operation: LoopOperation, at now: Duration) -> LoopHealth? {
        guard isCurrent(operation) else { return nil }
        let entry = operation.entry
        entry.status.lastSuccess = now
        entry.status.successes += 1
        if entry.health.state == .well { return nil }
        entry.health = LoopHealth()
        return entry.health
    }

    /// Records a failure. Returns the health to report; nil if the feed has ended, or the operation was cancelled or
    /// abandoned.
    mutating func failed(
        _ operation: LoopOperation, _ failure: LoopFailure, at now: Duration, random: Double
    ) -> LoopHealth? {
        guard isCurrent(operation) else { return nil }
        let entry = operation.entry
        entry.status.failedTries += 1
        let health = configuration.escalation.health(
            after: failure, of: entry.health, at: now, random: random)
        if let health { entry.health = health } else { _ = disable(entry.id, at: now) }
        return health
    }

    /// Records that an operation has returned. `result` is nil if it failed. The worker of a cancelled operation ends.
    mutating func ended(_ operation: LoopOperation, _ result: PageResult?, at now: Duration) {
        let entry = operation.entry
        guard running === operation else {
            if abandonedOperations[entry.id] === operation { abandonedOperations[entry.id] = nil }
            return
        }
        running = nil
        if operation.isCancelled {
            worker = nil
            return
        }
        entry.pages += 1
        if let result { pause(entry, after: result, at: now) }
        let hasTurn =
            result?.hasMore == true && entry.pages < max(1, configuration.pagesPerTurn)
            && entry.health.isDue(at: now)
        if hasTurn { append(entry) } else if entry.isTriggered { enqueue(entry) }
    }

    /// Delays a loop that refreshes repeatedly.
    ///
    /// One refresh brings a loop up to date. A feed that requests one each time must not cause a refresh at every tick.
    /// After two refreshes in a row the loop waits for two intervals, then twice as long each time, up to the longest
    /// back-off, until the feed returns an ordinary page.
    private func pause(_ entry: LoopEntry, after result: PageResult, at now: Duration) {
        entry.refreshes = result.isRefresh ? entry.refreshes + 1 : 0
        let interval = max(configuration.interval, .seconds(1))
        let rest = BackOff(first: interval, limit: max(interval, configuration.escalation.backOff.limit))
        entry.health.nextTry = entry.refreshes > 1 ? now + rest.ceiling(afterFailures: entry.refreshes) : nil
    }
}
