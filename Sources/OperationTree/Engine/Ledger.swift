/// What has happened so far: counts, failures, and which lists were complete. Written under the engine's lock.
struct Ledger {
    private let names: [String]
    private let limit: Int
    private(set) var counts: [NodeCounts]
    /// By node and the fingerprint of its name: whether a list was complete every time.
    private var lists: [[Fingerprint: Bool]]
    private var failures: [Failure] = []
    private var furtherFailures = 0
    private var incompleteLists: [ListReference] = []
    private var furtherIncompleteLists = 0
    /// What failed the root, for good.
    var rootError: (any Error)?
    /// What ended the run before its time.
    var ending: Outcome.State?

    init(names: [String], limit: Int) {
        self.names = names
        self.limit = limit
        counts = Array(repeating: NodeCounts(), count: names.count)
        lists = Array(repeating: [:], count: names.count)
    }

    mutating func count(_ node: Int, _ change: (inout NodeCounts) -> Void) { change(&counts[node]) }

    mutating func add(_ failure: Failure) {
        if failures.count < limit { failures.append(failure) } else { furtherFailures += 1 }
    }

    mutating func noteList(_ list: String, node: Int, isComplete: Bool) {
        let fingerprint = Fingerprint(list)
        lists[node][fingerprint] = isComplete && lists[node][fingerprint] != false
        if isComplete {
            counts[node].completeLists += 1
            return
        }
        counts[node].incompleteLists += 1
        if incompleteLists.count < limit {
            incompleteLists.append(ListReference(node: names[node], list: list))
        } else {
            furtherIncompleteLists += 1
        }
    }

    var countsByName: [String: NodeCounts] {
        Dictionary(uniqueKeysWithValues: zip(names, counts))
    }

    func outcome(droppedEvents: Int) -> Outcome {
        Outcome(
            state: state, counts: countsByName, failures: failures, furtherFailures: furtherFailures,
            incompleteLists: incompleteLists, furtherIncompleteLists: furtherIncompleteLists,
            droppedEvents: droppedEvents, lists: Dictionary(uniqueKeysWithValues: zip(names, lists)))
    }

    private var state: Outcome.State {
        if let ending { return ending }
        if let rootError { return .failed(rootError) }
        return failures.isEmpty && incompleteLists.isEmpty && furtherFailures + furtherIncompleteLists == 0
            ? .complete : .partial
    }
}
