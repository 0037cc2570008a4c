import Catalogue
import OperationTree

/// Which kinds a sync's tree lists, told from its nodes. What a run may conclude follows from it.
///
/// | the tree has of a kind | its list | since date |
/// |---|---|---|
/// | its node, and all that the standard tree has under it | swept if it was complete | moves |
/// | its node, but not all of that | swept if it was complete; not remembered as looked at to the end | stays |
/// | nothing | neither requested nor swept | stays |
///
/// With any kind missing or incomplete, no snapshot is taken in, a digest is not asked, and the events' cursor stays.
package struct TreeCoverage: Sendable {
    /// The kinds that the tree lists.
    package let kinds: Set<Kind>
    /// Those of which it has everything.
    package let whole: Set<Kind>

    package init(_ tree: Tree<String, SyncEnvironment>, of all: Kinds = .standard) {
        let standard = SyncTree.tree
        kinds = Set(all.listed.filter { tree.node($0.name, taking: PartnerID.self) != nil })
        whole = kinds.filter { kind in
            standard.names(under: kind.name).isSubset(of: tree.names(under: kind.name))
        }
    }

    /// Whether nothing of these kinds is left out.
    package func isWhole(of all: Kinds) -> Bool { whole.isSuperset(of: all.listed) }
}
