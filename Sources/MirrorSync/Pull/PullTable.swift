import Catalogue

/// Where the pull loop stands.
enum PullState: String, Sendable, Hashable, CaseIterable {
    /// What the server offers, and the partner itself.
    case discovering
    /// Everything at once, where nothing is here yet and the server offers that.
    case loading
    /// What changed since, of every kind of which that may be asked.
    case pulling
    /// All of that, in the order of ``PersistingOrder``, in one transaction.
    case persisting
    /// The tree: lists that are not pulled, what is under the objects that changed, local edits, files.
    case walking
    /// Memberships, the guard, the sweep, and the dates of the next pull, in one transaction.
    case finishing
    /// Shows that ended too long ago.
    case pruning
    /// What is referred to and was never seen.
    case fetchingGhosts
    /// Whether a server in trouble says that it is well again.
    case askingStatus
    /// It says that it is in trouble.
    case slowDelay
    /// It says anything else, or nothing.
    case fastDelay
    case ended, failed, cancelled

    /// What can come of it.
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

/// What came of a state.
enum PullResult: String, Sendable, Hashable, CaseIterable {
    case done
    /// It isn't offered, too much is here already, or what came has to be looked through.
    case nothingToLoad
    /// Every kind is to be listed in full.
    case nothingToPull
    /// The server failed the partner, a list or object after object in a way that may pass, and can be asked how it is.
    case serverInTrouble
    case healthy
    /// The server is well, and the partner did not come yet.
    case healthyAtFirst
    case inTrouble, unclear
    case waited
    /// Waiting any longer is not allowed, and everything else can go on.
    case tooLong
    case failed, cancelled
}

/// The states and what leads from one to the next: the run follows it, `mirror tree --pull` prints it.
enum PullTable {
    struct Transition: Sendable, Hashable {
        let from: PullState
        let result: PullResult
        let to: PullState
    }

    static let first = PullState.discovering

    static let transitions: [Transition] = [
        leading(from: .discovering, [.done: .loading, .serverInTrouble: .askingStatus]),
        leading(from: .loading, [.done: .walking, .nothingToLoad: .pulling]),
        leading(
            from: .pulling, [.done: .persisting, .nothingToPull: .walking, .serverInTrouble: .askingStatus]),
        leading(from: .persisting, [.done: .walking]),
        leading(from: .walking, [.done: .finishing, .serverInTrouble: .askingStatus]),
        leading(from: .finishing, [.done: .pruning]),
        leading(from: .pruning, [.done: .fetchingGhosts]),
        leading(from: .fetchingGhosts, [.done: .ended]),
        // Once the server is well the pull starts over: what is stored is vouched for, so that is cheap.
        leading(
            from: .askingStatus,
            [
                .healthy: .pulling, .healthyAtFirst: .discovering, .inTrouble: .slowDelay,
                .unclear: .fastDelay,
            ]),
        // So it does, without another wait, when all that may be waited was waited.
        leading(from: .slowDelay, [.waited: .askingStatus, .tooLong: .pulling]),
        leading(from: .fastDelay, [.waited: .askingStatus, .tooLong: .pulling]),
    ].flatMap { $0 }

    /// Where a result leads.
    static func next(after state: PullState, _ result: PullResult) -> PullState? {
        transitions.first { $0.from == state && $0.result == result }?.to
    }

    /// What leads on from a state; failing and being cancelled lead to the ends of those names wherever they can happen.
    private static func leading(
        from state: PullState, _ steps: KeyValuePairs<PullResult, PullState>
    ) -> [Transition] {
        let ends: KeyValuePairs<PullResult, PullState> = [.failed: .failed, .cancelled: .cancelled]
        return (Array(steps) + ends.filter { state.results.contains($0.key) }).map {
            Transition(from: state, result: $0.key, to: $0.value)
        }
    }
}

/// The pull loop as text, as a Graphviz graph or as JSON: made from ``PullTable`` and ``PersistingOrder``, from which the
/// run itself is made.
package enum PullDiagram {
    /// The order of persisting, then a line for each state with what leads where.
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

    /// States as nodes, results as labels of edges; ends have a double border.
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
