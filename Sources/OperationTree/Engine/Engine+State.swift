/// Changes of the state. All are called under the engine's lock.
extension Engine.State {
    mutating func add(_ scope: Scope) {
        schedule.add(scope)
        ledger.count(scope.node) { $0.pendingInputs += 1 }
    }

    mutating func take() -> Schedule.Decision {
        let decision = schedule.take()
        if case .expand(let scope) = decision {
            ledger.count(scope.node) { $0.pendingInputs -= 1 }
        }
        return decision
    }

    /// The workers to wake: all if the run has ended; otherwise one, if there is work that no waking worker will take.
    mutating func wake() -> [UnsafeContinuation<Bool, Never>] {
        if idle.isEmpty { return [] }
        if schedule.isDone {
            defer { idle = [] }
            waking += idle.count
            return idle
        }
        guard waking == 0, schedule.hasWork, let worker = idle.popLast() else { return [] }
        waking += 1
        return [worker]
    }

    /// Whether the run is paused and no work is in progress. Some workers may not be idle yet, but will get no work.
    var isAtRest: Bool { schedule.isPaused && schedule.running == 0 && !idle.isEmpty }

    /// Counts a pulled item, and decides whether it is performed. `fingerprint` is nil at a node with one parent.
    mutating func actionForPulledItem(_ scope: Scope, _ fingerprint: Fingerprint?, retryLimit: Int)
        -> Engine.PulledItemAction
    {
        scope.items += 1
        ledger.count(scope.node) { $0.items += 1 }
        guard let fingerprint else { return perform(nil, of: scope) }
        switch sharedItems[scope.node][fingerprint] {
        case nil:
            let item = SharedItem(node: scope.node, fingerprint: fingerprint, first: scope)
            sharedItems[scope.node][fingerprint] = .inProgress(item)
            return perform(item, of: scope)
        // A parked item ends only at the end of the run, so the number of scopes that wait for one has a limit.
        case .inProgress(let item) where !item.isParked || parkedWaiters < retryLimit:
            parkedWaiters += item.isParked ? 1 : 0
            scope.openParts += 1
            item.waiting.append(scope)
        case .inProgress, .failed:
            scope.failedItems += 1
            scope.isSubtreeComplete = false
        case .incomplete: scope.isSubtreeComplete = false
        case .complete: break
        }
        ledger.count(scope.node) { $0.repeated += 1 }
        return .skip
    }

    private mutating func perform(_ item: SharedItem?, of scope: Scope) -> Engine.PulledItemAction {
        scope.openParts += 1
        ledger.count(scope.node) { $0.running += 1 }
        return .perform(item)
    }

    /// Records that one of the parts that `tracker` waits for has ended.
    mutating func partEnded(of tracker: CompletionTracker, isSubtreeComplete: Bool) {
        tracker.openParts -= 1
        if !isSubtreeComplete { tracker.isSubtreeComplete = false }
        guard tracker.openParts == 0 else { return }
        if let scope = tracker as? Scope {
            schedule.markEnded(scope)
        } else if let item = tracker as? SharedItem {
            sharedItems[item.node][item.fingerprint] =
                item.hasFailed ? .failed : item.isSubtreeComplete ? .complete : .incomplete
            for scope in item.waiting {
                if item.hasFailed { scope.failedItems += 1 }
                partEnded(of: scope, isSubtreeComplete: item.isSubtreeComplete)
            }
        }
    }

    /// Ends a scope after its `finished` was called. If it is the root's scope, the run ends.
    mutating func close(_ scope: Scope) {
        if let parent = scope.parent {
            partEnded(of: parent, isSubtreeComplete: scope.isSubtreeComplete)
        } else {
            schedule.stop()
        }
    }

    /// Records the failure of a list, an item or a `finished` that isn't tried again.
    mutating func recordFinalFailure(_ scope: Scope, _ shared: SharedItem?, _ failure: Failure) {
        if scope.parent == nil && ledger.rootError == nil { ledger.rootError = failure.error }
        switch failure.kind {
        case .list:
            ledger.recordList(failure.list, node: scope.node, isComplete: false)
            partEnded(of: scope, isSubtreeComplete: false)
        case .item:
            ledger.count(scope.node) { $0.failed += 1 }
            if let shared { shared.hasFailed = true } else { scope.failedItems += 1 }
            partEnded(of: shared ?? scope, isSubtreeComplete: false)
        case .finishing:
            scope.isSubtreeComplete = false
            close(scope)
        case .report:
            break
        }
    }
}
