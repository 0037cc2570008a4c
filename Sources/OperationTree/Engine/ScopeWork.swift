/// What there is to do in a scope. Each call does its part, tells the engine, and gives back the lane's permit.
protocol ScopeWork: AnyObject, Sendable {
    /// Turns the input into an expansion.
    func expand(_ scope: Scope, on worker: Worker) async
    /// Pulls one item and performs it.
    func advance(_ scope: Scope, on worker: Worker) async
    /// Calls the step's `finished`.
    func finish(_ scope: Scope, on worker: Worker) async
}

/// Something that failed once, and is tried once more at the end.
protocol ParkedWork: AnyObject, Sendable {
    func retry(on worker: Worker) async
}

/// A list that failed once.
final class ParkedList: ParkedWork {
    let scope: Scope

    init(scope: Scope) { self.scope = scope }

    func retry(on worker: Worker) async { await scope.work.expand(scope, on: worker) }
}

/// An item that failed once, held until its second try.
final class ParkedItem<S: Step>: ParkedWork {
    let scope: Scope
    let work: StepWork<S>
    let item: S.Item
    let shared: SharedItem?

    init(scope: Scope, work: StepWork<S>, item: S.Item, shared: SharedItem?) {
        self.scope = scope
        self.work = work
        self.item = item
        self.shared = shared
    }

    func retry(on worker: Worker) async {
        await work.perform(item, of: scope, shared: shared, isRetry: true, on: worker)
    }
}
