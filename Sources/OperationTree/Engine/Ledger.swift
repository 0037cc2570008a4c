/// The record of a run: counts, failures, and which lists were complete. Changed only under the engine's lock.
struct Ledger {
    private let names: [String]
    private let limit: Int
    private(set) var counts: [NodeCounts]
    /// Whether each list was complete every time, by node and the fingerprint of the list's identity.
    private var lists: [[Fingerprint: Bool]]
    private var failures: [Failure] = []
    private var furtherFailures = 0
    private var incompleteLists: [ListReference] = []
    private var furtherIncompleteLists = 0
    /// The first error that failed the root.
    var rootError: (any Error)?
    /// The state that the run was stopped with; nil unless it was stopped early.
    var stopState: Outcome.State?

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

    mutating func recordList(_ list: String, node: Int, isComplete: Bool) {
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
        if let stopState { return stopState }
        if let rootError { return .failed(rootError) }
        return failures.isEmpty && incompleteLists.isEmpty && furtherFailures + furtherIncompleteLists == 0
            ? .complete : .partial
    }
}
