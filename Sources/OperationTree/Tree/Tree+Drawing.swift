/// A tree as a diagram of lines:
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
/// A shared node is marked `*` wherever it hangs; what is under it, and its note, stand at the first place only.
public struct TextTree: Sendable {
    public let text: String

    /// - Parameter note: What stands beside a node, if anything.
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
            // A name with a line break in it would tear the diagram.
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

/// A tree as Graphviz text: nodes and edges in the tree's order, a shared node once, the same text every time.
public struct DotGraph: Sendable {
    public let text: String

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

/// A tree as JSON: `{"name": …, "nodes": [{"name", "lane", "shared", "children": […]}, …]}`, nodes in the tree's order.
/// One node a line, the same text every time.
public struct JSONTree: Sendable {
    public let text: String

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
    /// In quotation marks. Quotation mark, backslash and line breaks are escaped, which the dot language and JSON do
    /// alike; other control characters as in JSON (RFC 8259 section 7), as the dot language has no escape for them.
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
