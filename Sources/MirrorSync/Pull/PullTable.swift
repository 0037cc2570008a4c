import Catalogue

/// A state of the pull loop.
enum PullState: String, Sendable, Hashable, CaseIterable {
    /// Requests the server's extensions and the partner.
    case discovering
    /// Loads a snapshot, if the mirror is empty and the server offers one.
    case loading
    /// Requests what changed since the stored date, for each kind with a usable date.
    case pulling
    /// Stores the pulled changes in the order of ``PersistingOrder``, in one transaction.
    case persisting
    /// Runs the tree: lists of kinds that are not pulled, lists under changed objects, local edits, files.
    case walking
    /// Stores memberships, checks the guard, sweeps, and stores the dates of the next pull, in one transaction.
    case finishing
    /// Removes shows that ended too long ago.
    case pruning
    /// Requests objects that are referred to but not stored.
    case fetchingGhosts
    /// Requests the status of a failing server.
    case askingStatus
    /// Waits after a status of 500.
    case slowDelay
    /// Waits after any other status but 200, or no answer.
    case fastDelay
    case ended, failed, cancelled

    /// The results that the state can have.
    var results: [PullResult] {
        switch self {
        case .discovering: [.done, .serverInTrouble, .failed, .cancelled]
        case .finishing, .fetchingGhosts: [.done, .failed, .cancelled]
        case .loading: [.done, .nothingToLoad, .failed, .cancelled]
        case .pulling: [.done, .nothingToPull, .serverInTrouble, .failed, .cancelled]
        case .persisting, .pruning: [.done, .failed, .cancelled]
        case .walking: [.done, .serverInTrouble, .failed, .cancelled]
        case .askingStatus: [.healthy, .healthyAtFirst, .inTrouble, .unclear, .cancelled]
        case .slowDelay, .fastDelay: [.waited, .tooLong, .failed, .cancelled]
        case .ended, .failed, .cancelled: []
        }
    }

    var isEnd: Bool { results.isEmpty }
}

/// The result of a state.
enum PullResult: String, Sendable, Hashable, CaseIterable {
    case done
    /// The server has no snapshot, the mirror isn't empty, or the lists must be walked after the snapshot.
    case nothingToLoad
    /// No kind is pulled: all are listed in full.
    case nothingToPull
    /// The partner, a list or many objects failed in a way that may be temporary, and the server has `status`.
    case serverInTrouble
    /// The status is 200.
    case healthy
    /// The status is 200, and the partner has not been received yet.
    case healthyAtFirst
    /// The status is 500, or anything else (`unclear`).
    case inTrouble, unclear
    case waited
    /// The longest wait is used up; the run continues without waits.
    case tooLong
    case failed, cancelled
}

/// The transitions between the states. A run follows them, and `mirror tree --pull` prints them.
enum PullTable {
    struct Transition: Sendable, Hashable {
        let from: PullState
        let result: PullResult
        let to: PullState
    }

    static let first = PullState.discovering

    static let transitions: [Transition] = [
        transitions(from: .discovering, [.done: .loading, .serverInTrouble: .askingStatus]),
        transitions(from: .loading, [.done: .walking, .nothingToLoad: .pulling]),
        transitions(
            from: .pulling, [.done: .persisting, .nothingToPull: .walking, .serverInTrouble: .askingStatus]),
        transitions(from: .persisting, [.done: .walking]),
        transitions(from: .walking, [.done: .finishing, .serverInTrouble: .askingStatus]),
        transitions(from: .finishing, [.done: .pruning]),
        transitions(from: .pruning, [.done: .fetchingGhosts]),
        transitions(from: .fetchingGhosts, [.done: .ended]),
        // When the server works again, the pull starts over. That is cheap, because stored objects are vouched for.
        transitions(
            from: .askingStatus,
            [
                .healthy: .pulling, .healthyAtFirst: .discovering, .inTrouble: .slowDelay,
                .unclear: .fastDelay,
            ]),
        // It also starts over, without further waits, when the longest wait is used up.
        transitions(from: .slowDelay, [.waited: .askingStatus, .tooLong: .pulling]),
        transitions(from: .fastDelay, [.waited: .askingStatus, .tooLong: .pulling]),
    ].flatMap { $0 }

    /// The state that follows a result; `nil` if the state can't have that result.
    static func next(after state: PullState, _ result: PullResult) -> PullState? {
        transitions.first { $0.from == state && $0.result == result }?.to
    }

    /// The transitions from a state: the given ones, and those to `failed` and `cancelled` if the state can have these results.
    private static func transitions(
        from state: PullState, _ steps: KeyValuePairs<PullResult, PullState>
    ) -> [Transition] {
        let ends: KeyValuePairs<PullResult, PullState> = [.failed: .failed, .cancelled: .cancelled]
        return (Array(steps) + ends.filter { state.results.contains($0.key) }).map {
            Transition(from: state, result: $0.key, to: $0.value)
        }
    }
}

/// The pull loop as text, as a Graphviz graph or as JSON, generated from ``PullTable`` and ``PersistingOrder``.
package enum PullDiagram {
    /// The order of persisting, then a line for each state with its results and the states that follow.
    package static var text: String {
        var lines = ["Order of persisting, each stage after what it refers to:"]
        for (number, stage) in PersistingOrder.stages.enumerated() {
            lines.append("  \(number + 1). \(stage.name)")
        }
        lines += ["", "States:"]
        let width = PullState.allCases.map(\.rawValue.count).max() ?? 0
        for state in PullState.allCases {
            let name = "\(state)" + String(repeating: " ", count: width - state.rawValue.count)
            let steps = PullTable.transitions.filter { $0.from == state }.map { "\($0.result) → \($0.to)" }
            lines.append("  \(name)  \(steps.isEmpty ? "(end)" : steps.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A graph with states as nodes and results as labels of edges; end states have a double border.
    package static var dot: String {
        var lines = ["digraph \"Pull\" {", "    rankdir=LR;", "    node [shape=box];"]
        for state in PullState.allCases {
            let style = state.isEnd ? ", peripheries=2" : state == PullTable.first ? ", style=bold" : ""
            lines.append("    \"\(state)\" [label=\"\(state)\"\(style)];")
        }
        for step in PullTable.transitions {
            lines.append("    \"\(step.from)\" -> \"\(step.to)\" [label=\"\(step.result)\"];")
        }
        lines.append("}")
        return lines.joined(separator: "\n") + "\n"
    }

    /// `{"order": [{"name", "kind", "references"}], "states": […], "transitions": [{"from", "result", "to"}]}`.
    package static var json: String {
        let order = PersistingOrder.stages.map { stage in
            JSONValue.object([
                "name": .string(stage.name), "kind": stage.kind.map { .string($0.name) } ?? .null,
                "references": .array(stage.references.map(JSONValue.string)),
            ])
        }
        let transitions = PullTable.transitions.map { step in
            JSONValue.object([
                "from": .string("\(step.from)"), "result": .string("\(step.result)"),
                "to": .string("\(step.to)"),
            ])
        }
        let object: JSONObject = [
            "order": .array(order), "states": .array(PullState.allCases.map { .string($0.rawValue) }),
            "transitions": .array(transitions),
        ]
        return JSONValue.object(object).canonicalText + "\n"
    }
}
