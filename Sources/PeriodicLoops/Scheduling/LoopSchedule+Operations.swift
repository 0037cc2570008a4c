/// From the choice of an operation to what its outcome means.
extension LoopSchedule {
    /// The next operation of this worker, which takes it or ends.
    mutating func next(_ worker: RunHandle, at now: Duration) -> LoopOperation? {
        guard execution.worker === worker else { return nil }
        guard phase == .running, let (entry, work) = nextWork(at: now) else {
            execution.dismiss()
            return nil
        }
        var activity = LoopStatus.Activity.polling
        if case .report = work { activity = .reporting }
        return execution.begin(entry, work, activity, until: now + rules.pollLimit)
    }

    private mutating func nextWork(at now: Duration) -> (LoopEntry, LoopOperation.Work)? {
        if !reports.isEmpty {
            let report = reports.removeFirst()
            return (report.entry, .report(report.error))
        }
        while let entry = queue.popFirst() {
            entry.isTriggered = false
            if !execution.hasStray(entry) { return (entry, entry.health.isReset ? .reset : .page) }
            // Nothing of a loop is called while it may hang: each call could leave another task behind.
            note(.stillRunning, of: entry, at: now)
        }
        return nil
    }

    /// Goes on without what took too long.
    mutating func giveUp(at now: Duration) {
        guard let (given, worker) = execution.giveUp() else { return }
        if let worker { cancels.append(worker) }
        guard !given.isCancelled else { return }
        favourCore(over: given.entry, at: now)
        let name = "loop \(given.entry.id)"
        switch given.activity {
        case .processing:
            let limit = rules.processLimit ?? rules.pollLimit
            reports.append((given.entry, .timedOut("Processing of \(name)", after: limit)))
        case .reporting:
            // Who hangs when told of an error isn't told of that.
            note(.timedOut("The error handling of \(name)", after: rules.pollLimit), of: given.entry, at: now)
        case .polling, .waiting, .queued:
            reports.append((given.entry, .timedOut("Polling of \(name)", after: rules.pollLimit)))
        }
    }

    /// What hangs costs the others its time. Before the next that may hang as well, the core loop has its turn.
    private mutating func favourCore(over given: LoopEntry, at now: Duration) {
        guard phase == .running, let core = roster.entries.first, core.isCore, core !== given,
            core.health.isDue(at: now)
        else { return }
        core.pages = 0
        queue.prepend(core)
    }

    /// A failure that the loop is not asked about.
    private mutating func note(_ error: LoopError, of entry: LoopEntry, at now: Duration) {
        entry.failedTries += 1
        let health = rules.escalation.health(
            after: .unreachable(error.message), of: entry.health, at: now, random: rules.random())
        if let health { entry.health = health }
    }

    /// The operation goes on to another activity; false if it no longer counts.
    mutating func enter(_ activity: LoopStatus.Activity, _ operation: LoopOperation, at now: Duration) -> Bool
    {
        guard execution.current(operation) != nil else { return false }
        let limit = activity == .processing ? rules.processLimit : rules.pollLimit
        execution.enter(activity, until: limit.map { now + $0 })
        return true
    }

    /// The health to be told, if the loop was not well before; nil if it was, or the operation no longer counts.
    mutating func succeeded(_ operation: LoopOperation, at now: Duration) -> LoopHealth? {
        guard let entry = execution.current(operation)?.entry else { return nil }
        entry.lastSuccess = now
        entry.successes += 1
        if entry.health.state == .well { return nil }
        entry.health = LoopHealth()
        return entry.health
    }

    /// The health to be told; nil if the loop is over, or the operation no longer counts.
    mutating func failed(
        _ operation: LoopOperation, _ failure: LoopFailure, at now: Duration, random: Double
    ) -> LoopHealth? {
        guard let entry = execution.current(operation)?.entry else { return nil }
        entry.failedTries += 1
        let health = rules.escalation.health(after: failure, of: entry.health, at: now, random: random)
        if let health { entry.health = health } else { _ = disable(entry.id, at: now) }
        return health
    }

    /// An operation has returned; with nothing if it failed. A worker whose operation was cancelled is gone.
    mutating func ended(_ operation: LoopOperation, _ result: PageResult?, at now: Duration) {
        guard let ended = execution.end(operation) else { return }
        if ended.isCancelled { return execution.dismiss() }
        let entry = ended.entry
        entry.pages += 1
        if let result { pause(entry, after: result, at: now) }
        let hasTurn =
            result?.hasMore == true && entry.pages < max(1, rules.pagesPerTurn)
            && entry.health.isDue(at: now)
        if hasTurn { queue.append(entry) } else if entry.isTriggered { enqueue(entry) }
    }

    /// One refresh brings a loop up to date. A feed that asks for one each time must not have its server read out at every
    /// tick: it is asked less and less often, until it answers with an ordinary page.
    private func pause(_ entry: LoopEntry, after result: PageResult, at now: Duration) {
        entry.refreshes = result.isRefresh ? entry.refreshes + 1 : 0
        entry.health.nextTry =
            entry.refreshes > 1 ? now + rules.pause(afterRefreshes: entry.refreshes) : nil
    }
}
