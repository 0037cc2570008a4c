/// What workers report to the engine. Each call that ends a piece of work gives its permit back, and is the last
/// before the worker asks for the next.
extension Engine {
    // MARK: Lists

    /// Counts a try of a scope's expansion; returns whether it is the second.
    func beginList(_ scope: Scope) -> Bool {
        update { state in
            scope.tries += 1
            state.ledger.count(scope.node) { scope.tries > 1 ? ($0.retried += 1) : ($0.lists += 1) }
            return scope.tries > 1
        }
    }

    /// The scope was expanded, or gave an item that an earlier try of its list had pulled: its next item may be pulled.
    func goesOn(_ scope: Scope, reports: [Failure] = []) {
        update(isLast: true) { state in
            for report in reports { state.ledger.add(report) }
            state.schedule.end(scope.node)
            state.schedule.makeReady(scope)
        }
    }

    func listEnded(_ scope: Scope, list: String, isComplete: Bool) {
        update(isLast: true) { state in
            state.schedule.end(scope.node)
            scope.isListComplete = isComplete
            state.ledger.noteList(list, node: scope.node, isComplete: isComplete)
            state.release(scope, isIntact: isComplete)
        }
    }

    // MARK: Items

    enum Reach {
        case perform(SharedItem?)
        case reachedBefore
    }

    /// A pulled item; `fingerprint` is of its identity if the node is shared. The permit is kept for performing it.
    func reached(_ scope: Scope, _ fingerprint: Fingerprint?) -> Reach {
        update { state in
            let reach = state.reach(scope, fingerprint, retryLimit: configuration.retryLimit)
            if case .reachedBefore = reach { state.schedule.end(scope.node) }
            state.schedule.makeReady(scope)
            return reach
        }
    }

    func retrying(_ scope: Scope, _ shared: SharedItem?) {
        update { state in
            shared?.isParked = false
            state.ledger.count(scope.node) {
                $0.awaitingRetry -= 1
                $0.running += 1
                $0.retried += 1
            }
        }
    }

    func performed(
        _ scope: Scope, _ shared: SharedItem?, outputs: Int, children: [Scope], reports: [Failure]
    ) {
        update(isLast: true) { state in
            state.schedule.end(scope.node)
            for report in reports { state.ledger.add(report) }
            state.ledger.count(scope.node) {
                $0.running -= 1
                $0.done += 1
                $0.emitted += outputs
            }
            let gathering = shared ?? scope
            gathering.open += children.count
            for child in children { state.add(child) }
            state.release(gathering, isIntact: true)
        }
    }

    // MARK: Scopes

    func finished(_ scope: Scope, reports: [Failure]) {
        update(isLast: true) { state in
            state.schedule.endFinish()
            for report in reports { state.ledger.add(report) }
            state.close(scope)
        }
    }

    // MARK: Failures

    /// A try of a list, an item or a `finished` has failed; `retry` is its second try, if it may have one.
    func failed(
        _ scope: Scope, _ shared: SharedItem?, _ failure: Failure, reports: [Failure], retry: Retry?,
        on worker: Worker
    ) {
        let hadEnded = hadEnded(failure, worker)
        let isItem = failure.kind == .item
        let willRetry = update(isLast: true) { state in
            if failure.kind == .finishing {
                state.schedule.endFinish()
            } else {
                state.schedule.end(scope.node)
            }
            if isItem { state.ledger.count(scope.node) { $0.running -= 1 } }
            if hadEnded {
                if isItem { state.ledger.count(scope.node) { $0.abandoned += 1 } }
                return false
            }
            if let retry, mayRetry(failure, state) {
                if isItem { state.ledger.count(scope.node) { $0.awaitingRetry += 1 } }
                shared?.isParked = true
                state.schedule.park(retry, node: scope.node)
                return true
            }
            for failure in reports + [failure] { state.ledger.add(failure) }
            state.failedForGood(scope, shared, failure)
            return false
        }
        if !hadEnded { emit { .failed(failure, willRetry: willRetry) } }
    }

    private func mayRetry(_ failure: Failure, _ state: borrowing State) -> Bool {
        !(failure.error is any FinalFailure) && !(failure.error is any RunFailure)
            && state.schedule.parkedCount < configuration.retryLimit
    }

    /// Whether the run had been stopped: what is thrown by cancelled work says nothing about the work. A
    /// ``RunFailure`` stops it here.
    private func hadEnded(_ failure: Failure, _ worker: Worker) -> Bool {
        if state.withLock({ $0.schedule.isDone }) { return true }
        if failure.error is any RunFailure {
            stop(.failed(failure.error))
            return false
        }
        guard Task.isCancelled && !worker.isSpent else { return false }
        stop(.cancelled)
        return true
    }
}
