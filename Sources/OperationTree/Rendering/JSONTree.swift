/// A tree as JSON: `{"name": …, "nodes": [{"name", "lane", "shared", "children": […]}, …]}`, nodes in the tree's order.
/// One node a line, the same text every time.
public struct JSONTree: Sendable {
    public let text: String

    public init<Input, Environment>(_ tree: Tree<Input, Environment>) {
        let nodes = tree.nodes.map { node in
            let children = node.children.map(JSONTree.quoted).joined(separator: ", ")
            return
                "    {\"name\": \(JSONTree.quoted(node.name)), \"lane\": \(JSONTree.quoted(node.lane.name)), "
                + "\"shared\": \(node.isShared), \"children\": [\(children)]}"
        }
        text =
            "{\n  \"name\": \(JSONTree.quoted(tree.name)),\n  \"nodes\": [\n"
            + nodes.joined(separator: ",\n") + "\n  ]\n}\n"
    }

    /// A JSON string (RFC 8259 section 7): quotation mark, backslash and the control characters are escaped.
    private static func quoted(_ name: String) -> String {
        var result = "\""
        for character in name.unicodeScalars {
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
