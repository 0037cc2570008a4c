import Catalogue

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
            let name = state.rawValue + String(repeating: " ", count: width - state.rawValue.count)
            let steps = PullTable.transitions.filter { $0.from == state }
                .map { "\($0.result.rawValue) → \($0.to.rawValue)" }
            lines.append("  \(name)  \(steps.isEmpty ? "(end)" : steps.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// States as nodes, results as labels of edges; ends have a double border.
    package static var dot: String {
        var lines = ["digraph \"Pull\" {", "    rankdir=LR;", "    node [shape=box];"]
        for state in PullState.allCases {
            let style =
                state.isEnd ? ", peripheries=2" : state == PullTable.first ? ", style=bold" : ""
            lines.append("    \"\(state.rawValue)\" [label=\"\(state.rawValue)\"\(style)];")
        }
        for step in PullTable.transitions {
            lines.append(
                "    \"\(step.from.rawValue)\" -> \"\(step.to.rawValue)\" [label=\"\(step.result.rawValue)\"];"
            )
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
                "from": .string(step.from.rawValue), "result": .string(step.result.rawValue),
                "to": .string(step.to.rawValue),
            ])
        }
        let object: JSONObject = [
            "order": .array(order), "states": .array(PullState.allCases.map { .string($0.rawValue) }),
            "transitions": .array(transitions),
        ]
        return JSONValue.object(object).canonicalText + "\n"
    }
}
