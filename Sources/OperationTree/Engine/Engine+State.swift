/// How the state changes; called under the lock.
extension Engine.State {
    mutating func add(_ scope: Scope) {
        schedule.add(scope)
        ledger.count(scope.node) { $0.pendingInputs += 1 }
    }

    mutating func take() -> Schedule.Decision {
        let decision = schedule.take()
        if case .work(.expand(let scope)) = decision {
            ledger.count(scope.node) { $0.pendingInputs -= 1 }
        }
        return decision
    }

    /// Whom to wake: everyone once the run has ended, else one worker if there is work that none is on its way to.
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

    mutating func reach(_ scope: Scope, _ fingerprint: Fingerprint?, retryLimit: Int) -> Engine.Reach {
        scope.items += 1
        ledger.count(scope.node) { $0.items += 1 }
        var shared: SharedItem?
        if let fingerprint {
            switch sharedItems[scope.node].reach(fingerprint, from: scope) {
            case .first(let item):
                shared = item
            case .inWork(let item):
                // Waiting for what is parked lasts to the end of the run, so it is bounded as parking is.
                if item.isParked && parkedWaiters >= retryLimit {
                    scope.failedItems += 1
                    scope.isIntact = false
                } else {
                    parkedWaiters += item.isParked ? 1 : 0
                    scope.open += 1
                    item.waiting.append(scope)
                }
                return reachedBefore(scope)
            case .damaged(let itemFailed):
                scope.failedItems += itemFailed ? 1 : 0
                scope.isIntact = false
                return reachedBefore(scope)
            case .ended:
                return reachedBefore(scope)
            }
        }
        scope.open += 1
        ledger.count(scope.node) { $0.running += 1 }
        return .perform(shared)
    }

    private mutating func reachedBefore(_ scope: Scope) -> Engine.Reach {
        ledger.count(scope.node) { $0.repeated += 1 }
        return .reachedBefore
    }

    /// One of the things that `gathering` waits for has ended.
    mutating func release(_ gathering: Gathering, isIntact: Bool) {
        gathering.open -= 1
        if !isIntact { gathering.isIntact = false }
        guard gathering.open == 0 else { return }
        if let scope = gathering as? Scope {
            schedule.markEnded(scope)
        } else if let item = gathering as? SharedItem {
            sharedItems[item.node].settle(item)
            for scope in item.waiting {
                if item.hasFailed { scope.failedItems += 1 }
                release(scope, isIntact: item.isIntact)
            }
        }
    }

    /// A scope's `finished` has been called: it is over, and so is the run if it was the root's.
    mutating func close(_ scope: Scope) {
        if let parent = scope.parent {
            release(parent, isIntact: scope.isIntact)
        } else {
            schedule.stop()
        }
    }

    mutating func failedForGood(_ scope: Scope, _ failure: Failure) {
        if scope.parent == nil && ledger.rootError == nil { ledger.rootError = failure.error }
    }
}
