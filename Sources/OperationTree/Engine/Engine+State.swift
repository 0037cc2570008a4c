/// How the state changes; called under the lock.
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

    /// The workers to wake: all once the run has ended, else one if there is work that no woken one will take.
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

    /// Whether it is paused and all its workers are idle, or about to ask in vain.
    var isAtRest: Bool { schedule.isPaused && schedule.running == 0 && !idle.isEmpty }

    /// Counts a pulled item, and decides whether it is performed; `fingerprint` is nil at a node with one parent.
    mutating func reach(_ scope: Scope, _ fingerprint: Fingerprint?, retryLimit: Int) -> Engine.Reach {
        scope.items += 1
        ledger.count(scope.node) { $0.items += 1 }
        guard let fingerprint else { return perform(nil, of: scope) }
        switch sharedItems[scope.node][fingerprint] {
        case nil:
            let item = SharedItem(node: scope.node, fingerprint: fingerprint, first: scope)
            sharedItems[scope.node][fingerprint] = .inWork(item)
            return perform(item, of: scope)
        // Waiting for what is parked lasts to the end of the run, so it is bounded as parking is.
        case .inWork(let item) where !item.isParked || parkedWaiters < retryLimit:
            parkedWaiters += item.isParked ? 1 : 0
            scope.open += 1
            item.waiting.append(scope)
        case .inWork, .failed:
            scope.failedItems += 1
            scope.isIntact = false
        case .damaged: scope.isIntact = false
        case .intact: break
        }
        ledger.count(scope.node) { $0.repeated += 1 }
        return .reachedBefore
    }

    private mutating func perform(_ item: SharedItem?, of scope: Scope) -> Engine.Reach {
        scope.open += 1
        ledger.count(scope.node) { $0.running += 1 }
        return .perform(item)
    }

    /// One of the things that `gathering` waits for has ended.
    mutating func release(_ gathering: Gathering, isIntact: Bool) {
        gathering.open -= 1
        if !isIntact { gathering.isIntact = false }
        guard gathering.open == 0 else { return }
        if let scope = gathering as? Scope {
            schedule.markEnded(scope)
        } else if let item = gathering as? SharedItem {
            sharedItems[item.node][item.fingerprint] =
                item.hasFailed ? .failed : item.isIntact ? .intact : .damaged
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

    /// A list, an item or a `finished` failed and is not tried again.
    mutating func failedForGood(_ scope: Scope, _ shared: SharedItem?, _ failure: Failure) {
        if scope.parent == nil && ledger.rootError == nil { ledger.rootError = failure.error }
        switch failure.kind {
        case .list:
            ledger.noteList(failure.list, node: scope.node, isComplete: false)
            release(scope, isIntact: false)
        case .item:
            ledger.count(scope.node) { $0.failed += 1 }
            if let shared { shared.hasFailed = true } else { scope.failedItems += 1 }
            release(shared ?? scope, isIntact: false)
        case .finishing:
            scope.isIntact = false
            close(scope)
        case .report:
            break
        }
    }
}
