/// The results that workers report to the engine.
///
/// A call that ends a piece of work releases the work's permit, and is the worker's last call before it asks for more
/// work.
extension Engine {
    // MARK: Lists

    /// Counts a try of a scope's expansion. Returns whether it is the second try.
    func beginList(_ scope: Scope) -> Bool {
        update { state in
            scope.tries += 1
            state.ledger.count(scope.node) { scope.tries > 1 ? ($0.retried += 1) : ($0.lists += 1) }
            return scope.tries > 1
        }
    }

    /// Makes the scope's next item available. Called after the expansion, and after an item that an earlier try of the
    /// list had already pulled.
    func continueList(_ scope: Scope, reports: [Failure] = []) {
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
            state.ledger.recordList(list, node: scope.node, isComplete: isComplete)
            state.partEnded(of: scope, isSubtreeComplete: isComplete)
        }
    }

    // MARK: Items

    enum PulledItemAction {
        case perform(SharedItem?)
        /// Another parent of a shared node has reached the item before.
        case skip
    }

    /// Records a pulled item, and decides whether it is performed. If so, the worker keeps the permit.
    ///
    /// - Parameter fingerprint: The fingerprint of the item's identity at a shared node; nil at other nodes.
    func itemPulled(_ scope: Scope, _ fingerprint: Fingerprint?) -> PulledItemAction {
        update { state in
            let action = state.actionForPulledItem(scope, fingerprint, retryLimit: configuration.retryLimit)
            if case .skip = action { state.schedule.end(scope.node) }
            state.schedule.makeReady(scope)
            return action
        }
    }

    func beginRetry(_ scope: Scope, _ shared: SharedItem?) {
        update { state in
            shared?.isParked = false
            state.ledger.count(scope.node) {
                $0.awaitingRetry -= 1
                $0.running += 1
                $0.retried += 1
            }
        }
    }

    func itemPerformed(
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
            let tracker = shared ?? scope
            tracker.openParts += children.count
            for child in children { state.add(child) }
            state.partEnded(of: tracker, isSubtreeComplete: true)
        }
    }

    // MARK: Scopes

    func scopeFinished(_ scope: Scope, reports: [Failure]) {
        update(isLast: true) { state in
            state.schedule.endFinish()
            for report in reports { state.ledger.add(report) }
            state.close(scope)
        }
    }

    // MARK: Failures

    /// Records a failed try of a list, an item or a `finished`. `retry` is the second try; nil if there can be none.
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
            state.recordFinalFailure(scope, shared, failure)
            return false
        }
        if !hadEnded { emit { .failed(failure, willRetry: willRetry) } }
    }

    private func mayRetry(_ failure: Failure, _ state: borrowing State) -> Bool {
        !(failure.error is any FinalFailure) && !(failure.error is any RunFailure)
            && state.schedule.parkedCount < configuration.retryLimit
    }

    /// Whether the run had already been stopped. The failure is then ignored, because cancelled work may throw anything.
    ///
    /// A ``RunFailure`` stops the run.
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
