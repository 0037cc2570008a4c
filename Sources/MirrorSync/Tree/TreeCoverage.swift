import Catalogue
import OperationTree

/// Which kinds a run's tree lists, by its nodes. What the run may conclude follows from it.
///
/// | the tree has of a kind | its list | since date |
/// |---|---|---|
/// | its node, and all that the standard tree has under it | swept if it was complete | moves |
/// | its node, but not all of that | swept if it was complete; not remembered as looked at to the end | stays |
/// | nothing | neither requested nor swept | stays |
///
/// With any kind missing or incomplete, no snapshot is taken in, a digest is not requested, the events' cursor stays, and the run
/// doesn't count as a sync of the whole mirror.
package struct TreeCoverage: Sendable {
    /// The kinds that the tree lists.
    package let kinds: Set<Kind>
    /// Those of which it has everything.
    package let complete: Set<Kind>
    /// Whether nothing of what a whole mirror has is left out.
    package let isWhole: Bool

    /// Nodes that bring nothing.
    private static let optional: Set = ["estimate", "album edits", "album deletions"]

    /// - Parameter tiles: whether tiles are wanted, too (``SyncOptions/tiles``).
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
