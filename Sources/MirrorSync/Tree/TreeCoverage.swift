import Catalogue
import OperationTree

/// The kinds that a run's tree lists, by its nodes. It decides what the run may sweep and remember.
///
/// | the tree has | the kind's list | since date |
/// |---|---|---|
/// | the kind's node, and all nodes that the standard tree has under it | swept if it is complete | changes |
/// | the kind's node, but not all nodes under it | swept if it is complete; not stored as clean | doesn't change |
/// | not the kind's node | neither requested nor swept | doesn't change |
///
/// If any node is missing, no snapshot is loaded, no digest is requested, the event cursor doesn't change, and the run is not a
/// sync of the whole mirror.
package struct TreeCoverage: Sendable {
    /// The kinds that the tree lists.
    package let kinds: Set<Kind>
    /// The listed kinds with all standard nodes under them.
    package let complete: Set<Kind>
    /// Whether the tree has all nodes of the standard tree that add data to the mirror.
    package let isWhole: Bool

    /// Nodes that add no data to the mirror.
    private static let optional: Set = ["estimate", "album edits", "album deletions"]

    /// - Parameter tiles: whether tiles are wanted (``SyncOptions/tiles``).
    package init(_ tree: Tree<String, SyncEnvironment>, of all: Kinds = .standard, tiles: Bool = false) {
        let standard = SyncTree.standard(tiles: tiles)
        kinds = Set(all.listed.filter { tree.node($0.name, taking: PartnerID.self) != nil })
        complete = kinds.filter { kind in
            standard.names(under: kind.name).isSubset(of: tree.names(under: kind.name))
        }
        let nodes = Set(tree.nodes.map(\.name)).union(Self.optional)
        isWhole = standard.nodes.allSatisfy { nodes.contains($0.name) }
    }
}
