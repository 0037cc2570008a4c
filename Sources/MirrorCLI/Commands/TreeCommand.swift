import ArgumentParser
import MirrorSync
import OperationTree

struct TreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Print the tree of operations that a sync runs.",
        discussion: "Draw it with Graphviz: mirror tree --format dot | dot -Tsvg > tree.svg")

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, dot, json }

    @Option(help: "text, dot for Graphviz, or json.")
    var format = Format.text

    @Flag(
        help:
            "The pull loop instead: the order of persisting, and its states and what leads from one to the next."
    )
    var pull = false

    @OptionGroup var home: HomeOptions

    func run() throws {
        let output = LineOutput.standard()
        let text = Self.text(format, pull: pull)
        output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        try output.finish()
    }

    static func text(_ format: Format, pull: Bool = false) -> String {
        switch format {
        case .text: pull ? PullDiagram.text : TextTree(SyncTree.tree).text
        case .dot: pull ? PullDiagram.dot : DotGraph(SyncTree.tree).text
        case .json: pull ? PullDiagram.json : JSONTree(SyncTree.tree).text
        }
    }
}
