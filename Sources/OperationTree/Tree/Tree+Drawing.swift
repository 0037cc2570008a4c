/// A tree as a text diagram:
///
/// ```
/// Sync
/// ├─ user
/// ├─ artwork
/// │  └─ image*           one file per wanted format
/// └─ show
///    └─ show cover
///       └─ image*
/// ```
///
/// A shared node is marked with `*` under each of its parents. Its children and its note are drawn only where it
/// appears first.
public struct TextTree: Sendable {
    /// The diagram; one line per node, each ended by a line break.
    public let text: String

    /// Draws a tree.
    ///
    /// - Parameter note: The text beside a node; nil for none. Default: none.
    public init<Input, Environment>(
        _ tree: Tree<Input, Environment>, note: (NodeInfo) -> String? = { _ in nil }
    ) {
        var drawing = Drawing(nodes: Dictionary(uniqueKeysWithValues: tree.nodes.map { ($0.name, $0) }))
        drawing.draw(tree.name, first: "", rest: "", note)
        let width = (drawing.lines.lazy.filter { $0.note != nil }.map(\.head.count).max() ?? 0) + 2
        text = drawing.lines.map { line in
            guard let note = line.note else { return line.head + "\n" }
            return line.head + String(repeating: " ", count: width - line.head.count) + note + "\n"
        }.joined()
    }

    private struct Drawing {
        let nodes: [String: NodeInfo]
        var drawn: Set<String> = []
        var lines: [(head: String, note: String?)] = []

        mutating func draw(_ name: String, first: String, rest: String, _ note: (NodeInfo) -> String?) {
            guard let node = nodes[name] else { return }
            let isFirst = drawn.insert(name).inserted
            // A line break in a name would break the diagram.
            let line = String(name.map { $0.isNewline ? " " : $0 })
            lines.append((first + line + (node.isShared ? "*" : ""), isFirst ? note(node) : nil))
            guard isFirst else { return }
            for (index, child) in node.children.enumerated() {
                let isLast = index == node.children.count - 1
                draw(
                    child, first: rest + (isLast ? "└─ " : "├─ "), rest: rest + (isLast ? "   " : "│  "), note
                )
            }
        }
    }
}

/// A tree in Graphviz's dot language. Equal trees give equal text.
///
/// Nodes and edges are in the tree's order. A shared node appears once, with a double border.
public struct DotGraph: Sendable {
    /// The graph in the dot language.
    public let text: String

    /// Renders a tree.
    public init<Input, Environment>(_ tree: Tree<Input, Environment>) {
        var lines = ["digraph \(tree.name.quoted) {", "    rankdir=LR;", "    node [shape=box];"]
        for node in tree.nodes {
            let label = "\(node.name)\n\(node.lane.name)".quoted
            let style = node.isShared ? ", peripheries=2" : ""
            lines.append("    \(node.name.quoted) [label=\(label)\(style)];")
        }
        for edge in tree.edges {
            lines.append("    \(edge.parent.quoted) -> \(edge.child.quoted);")
        }
        lines.append("}")
        text = lines.joined(separator: "\n") + "\n"
    }
}

/// A tree as JSON: `{"name": …, "nodes": [{"name", "lane", "shared", "children": […]}, …]}`.
///
/// Nodes are in the tree's order, one per line. Equal trees give equal text.
public struct JSONTree: Sendable {
    /// The JSON text.
    public let text: String

    /// Renders a tree.
    public init<Input, Environment>(_ tree: Tree<Input, Environment>) {
        let nodes = tree.nodes.map { node in
            let children = node.children.map(\.quoted).joined(separator: ", ")
            return
                "    {\"name\": \(node.name.quoted), \"lane\": \(node.lane.name.quoted), "
                + "\"shared\": \(node.isShared), \"children\": [\(children)]}"
        }
        text =
            "{\n  \"name\": \(tree.name.quoted),\n  \"nodes\": [\n"
            + nodes.joined(separator: ",\n") + "\n  ]\n}\n"
    }
}

extension String {
    /// The string in quotation marks, escaped for JSON and the dot language.
    ///
    /// Both languages escape the quotation mark, the backslash and line breaks in the same way. Other control
    /// characters are escaped as in JSON (RFC 8259 section 7), because the dot language has no escapes for them.
    fileprivate var quoted: String {
        var result = "\""
        for character in unicodeScalars {
            switch character {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(character.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }
}
