/// Decides what is done next: a pure value, read and changed under the engine's lock.
///
/// Both modes have one rule: finish what has ended; else take the deepest scope that may run, the oldest of its
/// depth; else, once nothing runs, what failed. With one worker that is depth first in declared order.
///
/// Work that may run has a free permit in its lane, and room at every child: a node is neither expanded nor pulled
/// while `4 × width` inputs wait at one of its children. No permit is held by what waits, and the deepest waiting
/// inputs can always run, so nothing blocks for ever.
struct Schedule {
    enum Decision {
        case expand(Scope)
        case advance(Scope)
        case retry(Retry)
        case finish(Scope)
        /// Others are at work, and more work may come of it; or the run is paused.
        case wait
        /// The run has ended.
        case done
    }

    /// One node at one depth.
    private struct Station {
        let node: Int
        /// By age, the oldest first.
        var scopes: [Scope] = []
    }

    private struct Parked {
        let node: Int
        let retry: Retry
    }

    private let lanes: [Int]
    private let children: [[Int]]
    private let rooms: [Int]
    private var permits: [Int]
    private var waitingInputs: [Int]
    /// By depth.
    private var stations: [[Station]]
    private var ended: [Scope] = []
    /// What failed once, in that order.
    private var parked: [Parked] = []
    /// What is being tried again, in that order.
    private var retries: [Parked] = []
    private var lastOrder = 0
    private(set) var running = 0
    private(set) var isDone = false
    /// Whether no work is given out for now; what was given out goes on.
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
        rooms = lanes.map { [widths] in 4 * widths[$0] }
        children = plan.places.map(\.children)
        waitingInputs = Array(repeating: 0, count: plan.places.count)
        stations = plan.levels.map { $0.map { Station(node: $0) } }
    }

    /// As many workers as the lanes allow to be busy at once.
    var workers: Int { permits.reduce(0, +) }

    // MARK: Taking work

    mutating func take() -> Decision {
        if isDone { return .done }
        if isPaused { return .wait }
        if let scope = ended.popLast() {
            running += 1
            return .finish(scope)
        }
        if let (depth, index) = next() {
            let scope = stations[depth][index].scopes.removeFirst()
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
        !isDone && !isPaused && (!ended.isEmpty || next() != nil || nextRetry != nil || isLeftToRetries)
    }

    /// Whether nothing is left but what failed once. If the run was paused when its last work ended, all workers are idle
    /// then, and the one that is woken takes it up.
    private var isLeftToRetries: Bool { running == 0 && retries.isEmpty && !parked.isEmpty }

    private mutating func begin(_ node: Int) {
        permits[lanes[node]] -= 1
        running += 1
    }

    private func next() -> (depth: Int, index: Int)? {
        for depth in stations.indices.reversed() {
            var best: (index: Int, order: Int)?
            for index in stations[depth].indices {
                guard let scope = stations[depth][index].scopes.first, scope.order < best?.order ?? .max,
                    mayRun(scope.node)
                else { continue }
                best = (index, scope.order)
            }
            if let best { return (depth, best.index) }
        }
        return nil
    }

    /// The oldest that may run: a full lane doesn't hold up the others.
    private var nextRetry: Int? { retries.firstIndex { mayRun($0.node) } }

    private func mayRun(_ node: Int) -> Bool {
        permits[lanes[node]] > 0 && children[node].allSatisfy { waitingInputs[$0] < rooms[$0] }
    }

    // MARK: Changes

    /// A run that has ended is not paused any more.
    mutating func setPaused(_ isPaused: Bool) { self.isPaused = isPaused && !isDone }

    /// A new scope waits to be expanded.
    mutating func add(_ scope: Scope) {
        lastOrder += 1
        scope.order = lastOrder
        waitingInputs[scope.node] += 1
        makeReady(scope)
    }

    /// An expanded scope may be pulled from.
    mutating func makeReady(_ scope: Scope) {
        for index in stations[scope.depth].indices where stations[scope.depth][index].node == scope.node {
            stations[scope.depth][index].scopes.insert(byAge: scope)
        }
    }

    /// What ``take()`` gave for a node has ended, but for a `finish`.
    mutating func end(_ node: Int) {
        permits[lanes[node]] += 1
        running -= 1
    }

    mutating func endFinish() { running -= 1 }

    mutating func park(_ retry: @escaping Retry, node: Int) {
        parked.append(Parked(node: node, retry: retry))
    }

    /// How much waits for its second try.
    var parkedCount: Int { parked.count + retries.count }

    mutating func markEnded(_ scope: Scope) { ended.append(scope) }

    /// Ends the run, and releases everything that waits.
    mutating func stop() {
        isDone = true
        isPaused = false
        ended = []
        parked = []
        retries = []
        for depth in stations.indices {
            for index in stations[depth].indices { stations[depth][index].scopes = [] }
        }
    }
}

extension [Scope] {
    fileprivate mutating func insert(byAge scope: Scope) {
        // What is new is younger than all; what goes on is mostly the oldest.
        let isYoungest = last.map { $0.order < scope.order } ?? true
        let place = isYoungest ? nil : firstIndex { $0.order > scope.order }
        insert(scope, at: place ?? endIndex)
    }
}
