import MirrorSync
import OperationTree

/// The tree of the sync with the counts of every node: how much is done, of how much that came out of its lists.
struct ProgressTree: Sendable {
    let width: Int
    /// Rows that there are; where they don't suffice the foot stays, and the tree loses its last lines.
    var height = Int.max

    func lines(_ counts: [String: NodeCounts], footer state: ProgressState) -> [String] {
        let tree = TextTree(SyncTree.tree) { node in
            Self.note(counts[node.name] ?? NodeCounts())
        }
        let lines = tree.text.split(separator: "\n").map { String($0).truncated(to: width - 1) }
        let foot = ProgressBlock.foot(state, width: width)
        return lines.prefix(max(0, height - foot.count)) + foot
    }

    /// A dot for a node that nothing has come to yet.
    static func note(_ counts: NodeCounts) -> String {
        guard counts.items > 0 || counts.lists > 0 else { return "·" }
        let waiting = counts.items - counts.done - counts.failed - counts.repeated - counts.running
        var parts = ["\(Wording.count(counts.done)) done"]
        if counts.running > 0 { parts.append("\(Wording.count(counts.running)) running") }
        if waiting > 0 { parts.append("\(Wording.count(waiting)) waiting") }
        if counts.failed > 0 { parts.append("\(Wording.count(counts.failed)) failed") }
        return parts.joined(separator: ", ")
    }
}
