/// From the choice of an operation to what its outcome means.
extension LoopSchedule {
    /// The next operation of this worker, which takes it or ends.
    mutating func next(_ worker: RunHandle, at now: Duration) -> LoopOperation? {
        guard self.worker === worker else { return nil }
        running = phase == .running ? nextOperation(at: now) : nil
        if running == nil { self.worker = nil }
        running?.deadline = now + rules.pollLimit
        return running
    }

    private mutating func nextOperation(at now: Duration) -> LoopOperation? {
        if !reports.isEmpty { return reports.removeFirst() }
        while !queue.isEmpty {
            let entry = queue.removeFirst()
            (entry.isQueued, entry.isTriggered) = (false, false)
            if strays[entry.id] == nil { return LoopOperation(entry, entry.health.isReset ? .reset : .page) }
            // Nothing of a loop is called while it may hang: each call could leave another task behind.
            note(.stillRunning, of: entry, at: now)
        }
        return nil
    }

    /// From here on, the running operation can't commit and counts for nothing; it has a while to return.
    mutating func cancelRunning(at now: Duration) {
        guard let running, !running.isCancelled else { return }
        running.ticket.revoke()
        running.isCancelled = true
        let deadline = now + rules.pollLimit
        running.deadline = min(running.deadline ?? deadline, deadline)
        if let worker { cancels.append(worker) }
    }

    /// Goes on without an operation that took too long.
    mutating func giveUp(_ given: LoopOperation, at now: Duration) {
        let entry = given.entry
        given.ticket.revoke()
        strays[entry.id] = given
        if let worker { cancels.append(worker) }
        (running, worker) = (nil, nil)
        guard !given.isCancelled else { return }
        favourCore(over: entry, at: now)
        let name = "loop \(entry.id)"
        switch given.activity {
        case .processing:
            let limit = rules.processLimit ?? rules.pollLimit
            reports.append(LoopOperation(entry, .report(.timedOut("Processing of \(name)", after: limit))))
        case .reporting:
            // The error handling itself hangs, so this failure is not reported to it.
            note(.timedOut("The error handling of \(name)", after: rules.pollLimit), of: entry, at: now)
        case .polling, .waiting, .queued:
            let error = LoopError.timedOut("Polling of \(name)", after: rules.pollLimit)
            reports.append(LoopOperation(entry, .report(error)))
        }
    }

    /// What hangs costs the others its time. Before the next that may hang as well, the core loop has its turn.
    private mutating func favourCore(over given: LoopEntry, at now: Duration) {
        guard phase == .running, let core = roster.entries.first, core.status.isCore, core !== given,
            core.health.isDue(at: now)
        else { return }
        core.pages = 0
        unqueue(core)
        core.isQueued = true
        queue.insert(core, at: 0)
    }

    /// Counts a failure without calling the loop.
    private mutating func note(_ error: LoopError, of entry: LoopEntry, at now: Duration) {
        entry.status.failedTries += 1
        let health = rules.escalation.health(
            after: .unreachable(error.message), of: entry.health, at: now, random: rules.random())
        if let health { entry.health = health }
    }

    /// Whether the operation is the one that runs, and still counts.
    private func isCurrent(_ operation: LoopOperation) -> Bool {
        running === operation && !operation.isCancelled
    }

    /// The operation goes on to another activity; false if it no longer counts.
    mutating func enter(_ activity: LoopStatus.Activity, _ operation: LoopOperation, at now: Duration) -> Bool
    {
        guard isCurrent(operation) else { return false }
        let limit = activity == .processing ? rules.processLimit : rules.pollLimit
        operation.activity = activity
        operation.deadline = limit.map { now + $0 }
        return true
    }

    /// The health to report, if the loop was not well before; nil if it was, or the operation no longer counts.
    mutating func succeeded(_ operation: LoopOperation, at now: Duration) -> LoopHealth? {
        guard isCurrent(operation) else { return nil }
        let entry = operation.entry
        entry.status.lastSuccess = now
        entry.status.successes += 1
        if entry.health.state == .well { return nil }
        entry.health = LoopHealth()
        return entry.health
    }

    /// The health to report; nil if the loop is over, or the operation no longer counts.
    mutating func failed(
        _ operation: LoopOperation, _ failure: LoopFailure, at now: Duration, random: Double
    ) -> LoopHealth? {
        guard isCurrent(operation) else { return nil }
        let entry = operation.entry
        entry.status.failedTries += 1
        let health = rules.escalation.health(after: failure, of: entry.health, at: now, random: random)
        if let health { entry.health = health } else { _ = disable(entry.id, at: now) }
        return health
    }

    /// An operation has returned; `result` is nil if it failed. Its worker ends with it if it was cancelled.
    mutating func ended(_ operation: LoopOperation, _ result: PageResult?, at now: Duration) {
        let entry = operation.entry
        guard running === operation else {
            if strays[entry.id] === operation { strays[entry.id] = nil }
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
            result?.hasMore == true && entry.pages < max(1, rules.pagesPerTurn) && entry.health.isDue(at: now)
        if hasTurn { append(entry) } else if entry.isTriggered { enqueue(entry) }
    }

    /// One refresh brings a loop up to date. If a feed asks for one each time, not every tick may refresh everything:
    /// after two in a row the loop rests for two intervals, then twice as long each time, up to the longest wait
    /// after failures, until the feed answers with an ordinary page.
    private func pause(_ entry: LoopEntry, after result: PageResult, at now: Duration) {
        entry.refreshes = result.isRefresh ? entry.refreshes + 1 : 0
        let interval = max(rules.interval, .seconds(1))
        let rest = BackOff(first: interval, limit: max(interval, rules.escalation.backOff.limit))
        entry.health.nextTry = entry.refreshes > 1 ? now + rest.ceiling(afterFailures: entry.refreshes) : nil
    }
}
