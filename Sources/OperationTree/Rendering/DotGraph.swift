/// A tree as Graphviz text: nodes and edges in the tree's order, a shared node once, the same text every time.
public struct DotGraph: Sendable {
    public let text: String

    public init<Input, Environment>(_ tree: Tree<Input, Environment>) {
        var lines = ["digraph \(DotGraph.quoted(tree.name)) {", "    rankdir=LR;", "    node [shape=box];"]
        for node in tree.nodes {
            let label = DotGraph.quoted("\(node.name)\n\(node.lane.name)")
            let style = node.isShared ? ", peripheries=2" : ""
            lines.append("    \(DotGraph.quoted(node.name)) [label=\(label)\(style)];")
        }
        for edge in tree.edges {
            lines.append("    \(DotGraph.quoted(edge.parent)) -> \(DotGraph.quoted(edge.child));")
        }
        lines.append("}")
        text = lines.joined(separator: "\n") + "\n"
    }

    /// A quoted string of the dot language. A backslash would begin an escape, so it is doubled.
    private static func quoted(_ name: String) -> String {
        var result = "\""
        for character in name.unicodeScalars {
            switch character {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }
}
