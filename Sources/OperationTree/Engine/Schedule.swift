/// Decides which work is done next. A value without I/O, read and changed under the engine's lock.
///
/// Both run modes follow the same order:
///
/// 1. Call `finished` of a scope that has ended.
/// 2. Take the deepest scope that can run; of several at that depth, the oldest.
/// 3. When nothing runs, try again what failed.
///
/// With one worker, this is depth first in declared order.
///
/// A scope can run if its lane has a free permit and all children of its node have room for inputs: a node is neither
/// expanded nor pulled while `4 × width` inputs wait at one of its children. Waiting work holds no permit, and the
/// deepest waiting inputs can always run, so there is no deadlock.
struct Schedule {
    enum Decision {
        case expand(Scope)
        case advance(Scope)
        case retry(Retry)
        case finish(Scope)
        /// Nothing can run now: other work is in progress and may lead to more, or the run is paused.
        case wait
        /// The run has ended.
        case done
    }

    /// The ready scopes of one node at one depth.
    private struct NodeQueue {
        let node: Int
        /// Oldest first.
        var scopes: [Scope] = []
    }

    private struct Parked {
        let node: Int
        let retry: Retry
    }

    private let lanes: [Int]
    private let children: [[Int]]
    private let inputLimits: [Int]
    private var permits: [Int]
    private var waitingInputs: [Int]
    /// By depth.
    private var queues: [[NodeQueue]]
    private var endedScopes: [Scope] = []
    /// Work that failed once and waits until nothing else is left, in the order of the failures.
    private var parked: [Parked] = []
    /// Work that is now to be tried again, in the order of the failures.
    private var retries: [Parked] = []
    private var lastOrder = 0
    private(set) var running = 0
    private(set) var isDone = false
    /// Whether no further work is handed out. Work in progress continues.
    private(set) var isPaused = false

    init(plan: Plan, configuration: RunConfiguration) {
        var indices: [Lane: Int] = [:]
        var widths: [Int] = []
        lanes = plan.infos.map { node in
            if let index = indices[node.lane] { return index }
            indices[node.lane] = widths.count
            widths.append(configuration.width(of: node.lane))
            return widths.count - 1
        }
        permits = widths
        inputLimits = lanes.map { [widths] in 4 * widths[$0] }
        children = plan.places.map(\.children)
        waitingInputs = Array(repeating: 0, count: plan.places.count)
        queues = plan.levels.map { $0.map { NodeQueue(node: $0) } }
    }

    /// The number of workers: the sum of all lane widths.
    var workers: Int { permits.reduce(0, +) }

    // MARK: Taking work

    mutating func take() -> Decision {
        if isDone { return .done }
        if isPaused { return .wait }
        if let scope = endedScopes.popLast() {
            running += 1
            return .finish(scope)
        }
        if let (depth, index) = next() {
            let scope = queues[depth][index].scopes.removeFirst()
            begin(scope.node)
            guard scope.isPending else { return .advance(scope) }
            scope.isPending = false
            waitingInputs[scope.node] -= 1
            return .expand(scope)
        }
        if running == 0 && retries.isEmpty {
            precondition(!parked.isEmpty, "nothing can run, nothing is running, and the root has not ended")
            swap(&retries, &parked)
        }
        if let index = nextRetry {
            let item = retries.remove(at: index)
            begin(item.node)
            return .retry(item.retry)
        }
        return .wait
    }

    /// Whether ``take()`` would return work.
    var hasWork: Bool {
        !isDone && !isPaused
            && (!endedScopes.isEmpty || next() != nil || nextRetry != nil || onlyParkedWorkIsLeft)
    }

    /// Whether only parked work is left.
    ///
    /// ``take()`` normally moves it to the retries. But if the run was paused when its last work ended, all workers are
    /// idle, so this work must count as available to wake one of them.
    private var onlyParkedWorkIsLeft: Bool { running == 0 && retries.isEmpty && !parked.isEmpty }

    private mutating func begin(_ node: Int) {
        permits[lanes[node]] -= 1
        running += 1
    }

    private func next() -> (depth: Int, index: Int)? {
        for depth in queues.indices.reversed() {
            var best: (index: Int, order: Int)?
            for index in queues[depth].indices {
                guard let scope = queues[depth][index].scopes.first, scope.order < best?.order ?? .max,
                    mayRun(scope.node)
                else { continue }
                best = (index, scope.order)
            }
            if let best { return (depth, best.index) }
        }
        return nil
    }

    /// The index of the oldest retry that can run. A full lane doesn't delay retries of other lanes.
    private var nextRetry: Int? { retries.firstIndex { mayRun($0.node) } }

    private func mayRun(_ node: Int) -> Bool {
        permits[lanes[node]] > 0 && children[node].allSatisfy { waitingInputs[$0] < inputLimits[$0] }
    }

    // MARK: Changes

    /// Pauses or resumes. A run that has ended can't be paused.
    mutating func setPaused(_ isPaused: Bool) { self.isPaused = isPaused && !isDone }

    /// Adds a new scope, which waits to be expanded.
    mutating func add(_ scope: Scope) {
        lastOrder += 1
        scope.order = lastOrder
        waitingInputs[scope.node] += 1
        makeReady(scope)
    }

    /// Makes a scope available: to be expanded, or to have its next item pulled.
    mutating func makeReady(_ scope: Scope) {
        for index in queues[scope.depth].indices where queues[scope.depth][index].node == scope.node {
            queues[scope.depth][index].scopes.insert(byAge: scope)
        }
    }

    /// Releases the permit of work from ``take()`` that has ended; see ``endFinish()`` for `.finish`.
    mutating func end(_ node: Int) {
        permits[lanes[node]] += 1
        running -= 1
    }

    /// Ends a `.finish`, which holds no permit.
    mutating func endFinish() { running -= 1 }

    mutating func park(_ retry: @escaping Retry, node: Int) {
        parked.append(Parked(node: node, retry: retry))
    }

    /// The number of pieces of work that wait for their second try.
    var parkedCount: Int { parked.count + retries.count }

    mutating func markEnded(_ scope: Scope) { endedScopes.append(scope) }

    /// Ends the run, and drops all waiting work.
    mutating func stop() {
        isDone = true
        isPaused = false
        endedScopes = []
        parked = []
        retries = []
        for depth in queues.indices {
            for index in queues[depth].indices { queues[depth][index].scopes = [] }
        }
    }
}

extension [Scope] {
    fileprivate mutating func insert(byAge scope: Scope) {
        // A new scope is always the youngest. A scope that is put back is mostly the oldest.
        let isYoungest = last.map { $0.order < scope.order } ?? true
        let place = isYoungest ? nil : firstIndex { $0.order > scope.order }
        insert(scope, at: place ?? endIndex)
    }
}
