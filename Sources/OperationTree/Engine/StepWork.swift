/// The typed work for one input at one node.
///
/// `@unchecked Sendable`: `expansion` and `pulled` are used only by the worker that has taken the scope from the
/// schedule. Only one worker has it at a time, and the engine's lock is taken and released between two of them.
final class StepWork<S: Step>: ScopeWork, @unchecked Sendable {
    private let node: StepNode<S>
    private let place: Plan.Place
    private let input: S.Input
    private let environment: S.Environment
    private var expansion: Expansion<S.Item>?
    private var pulled = PulledItems()

    init(node: StepNode<S>, place: Plan.Place, input: S.Input, environment: S.Environment) {
        self.node = node
        self.place = place
        self.input = input
        self.environment = environment
    }

    func expand(_ scope: Scope, on worker: Worker) async {
        let engine = worker.engine
        let isRetry = engine.beginList(scope)
        if isRetry {
            engine.emit { .retried(node: node.name, list: list, item: nil) }
            pulled.beginSecondTry()
        }
        let context = context(isRetry: isRetry, worker)
        do {
            let made = try await worker.limited(engine.limits[place.index], node: node.name) {
                try await node.step.expand(input, in: context)
            }
            expansion = made
            engine.emit { .expanded(node: node.name, list: list, count: made.count) }
            engine.continueList(scope, reports: reports(of: worker))
        } catch {
            listFailed(scope, error, on: worker)
        }
    }

    func advance(_ scope: Scope, on worker: Worker) async {
        let engine = worker.engine
        var next: S.Item?
        do {
            if let expansion {
                next =
                    expansion.canFail
                    ? try await worker.limited(engine.limits[place.index], node: node.name, expansion.pull)
                    : try await expansion.pull()
            }
        } catch {
            expansion = nil
            return listFailed(scope, error, on: worker)
        }
        guard let item = next else {
            let isComplete = expansion?.isComplete ?? true
            expansion = nil
            return engine.listEnded(scope, list: list, isComplete: isComplete)
        }
        var fingerprint: Fingerprint?
        if place.isShared || expansion?.canFail == true {
            let identity = Fingerprint(node.step.identity(of: item))
            if expansion?.canFail == true, !pulled.insert(identity) {
                return engine.continueList(scope)
            }
            if place.isShared { fingerprint = identity }
        }
        if case .perform(let shared) = engine.itemPulled(scope, fingerprint) {
            await perform(item, of: scope, shared: shared, isRetry: false, on: worker)
        }
    }

    func perform(
        _ item: S.Item, of scope: Scope, shared: SharedItem?, isRetry: Bool, on worker: Worker
    ) async {
        let engine = worker.engine
        let step = node.step
        if isRetry {
            engine.beginRetry(scope, shared)
            engine.emit { .retried(node: node.name, list: list, item: step.identity(of: item)) }
        } else {
            engine.emit { .started(node: node.name, item: step.identity(of: item)) }
        }
        let context = context(isRetry: isRetry, worker)
        do {
            let outputs = try await worker.limited(engine.limits[place.index], node: node.name) {
                try await step.perform(item, in: context)
            }
            engine.emit { .emitted(node: node.name, item: step.identity(of: item), count: outputs.count) }
            engine.emit { .finished(node: node.name, item: step.identity(of: item)) }
            engine.itemPerformed(
                scope, shared, outputs: outputs.count,
                children: children(of: outputs, in: scope, shared, engine.plan),
                reports: reports(of: worker))
        } catch {
            let retry: Retry = { worker in
                await self.perform(item, of: scope, shared: shared, isRetry: true, on: worker)
            }
            engine.failed(
                scope, shared, failure(.item, step.identity(of: item), error), reports: reports(of: worker),
                retry: isRetry ? nil : retry, on: worker)
        }
    }

    func finish(_ scope: Scope, on worker: Worker) async {
        let engine = worker.engine
        let outcome = scope.outcome
        let context = context(isRetry: false, worker)
        do {
            try await worker.limited(engine.limits[place.index], node: node.name) {
                try await node.step.finished(input, outcome, in: context)
            }
            engine.emit { .closed(node: node.name, list: list, scope: outcome) }
            engine.scopeFinished(scope, reports: reports(of: worker))
        } catch {
            engine.failed(
                scope, nil, failure(.finishing, nil, error), reports: reports(of: worker), retry: nil,
                on: worker)
        }
    }

    private func context(isRetry: Bool, _ worker: Worker) -> StepContext<S.Environment> {
        StepContext(environment: environment, node: node.name, isRetry: isRetry, reports: worker.reports)
    }

    private var list: String { node.step.listIdentity(of: input) }

    /// The reports of the try that just ended. They are removed from the worker.
    private func reports(of worker: Worker) -> [Failure] {
        worker.reports.takeAll().map { failure(.report, $0.item, $0.error) }
    }

    private func failure(_ kind: Failure.Kind, _ item: String?, _ error: any Error) -> Failure {
        Failure(kind: kind, node: node.name, list: list, item: item, error: error)
    }

    /// Reports a failed list. A list whose pulled items aren't recorded gets no second try: they would be performed
    /// twice.
    private func listFailed(_ scope: Scope, _ error: any Error, on worker: Worker) {
        let mayRetry = scope.tries < 2 && pulled.isRecorded
        let retry: Retry = { worker in await self.expand(scope, on: worker) }
        worker.engine.failed(
            scope, nil, failure(.list, nil, error), reports: reports(of: worker),
            retry: mayRetry ? retry : nil, on: worker)
    }

    /// The children's scopes, ordered by output, then by child.
    private func children(of outputs: [S.Output], in scope: Scope, _ shared: SharedItem?, _ plan: Plan)
        -> [Scope]
    {
        // Loops by index are faster: iterators of generic types need a metadata lookup for each item.
        let edges = node.edges
        if outputs.count * edges.count == 0 { return [] }
        var scopes: [Scope] = []
        scopes.reserveCapacity(outputs.count * edges.count)
        for output in 0..<outputs.count {
            for edge in 0..<edges.count {
                let child = plan.places[place.children[edge]]
                let work = edges[edge].body.work(on: outputs[output], in: environment, at: child)
                scopes.append(
                    Scope(node: child.index, depth: scope.depth + 1, parent: shared ?? scope, work: work))
            }
        }
        return scopes
    }
}
