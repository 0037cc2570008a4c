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
        var drawing = Drawing(nodes: tree.nodes)
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

        init(nodes: [NodeInfo]) {
            self.nodes = Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0) })
        }

        mutating func draw(_ name: String, first: String, rest: String, _ note: (NodeInfo) -> String?) {
            guard let node = nodes[name] else { return }
            let isFirst = drawn.insert(name).inserted
            lines.append((first + oneLine(name) + (node.isShared ? "*" : ""), isFirst ? note(node) : nil))
            guard isFirst else { return }
            for (index, child) in node.children.enumerated() {
                let isLast = index == node.children.count - 1
                draw(
                    child, first: rest + (isLast ? "└─ " : "├─ "), rest: rest + (isLast ? "   " : "│  "), note
                )
            }
        }

        /// A name with a line break in it would tear the diagram.
        private func oneLine(_ name: String) -> String {
            String(name.map { $0.isNewline ? " " : $0 })
        }
    }
}
