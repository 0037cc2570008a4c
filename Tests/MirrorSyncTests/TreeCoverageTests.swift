import Catalogue
import OperationTree
import Testing

@testable import MirrorSync

@Suite("The kinds that a tree covers") struct TreeCoverageTests {
    @Test func theStandardTreesCoverAllKinds() {
        #expect(TreeCoverage(SyncTree.tree).isWhole)
        #expect(TreeCoverage(SyncTree.tree).complete == Set(Kinds.standard.listed))
        #expect(TreeCoverage(SyncTree.tiledTree, tiles: true).isWhole)
    }

    @Test(
        arguments: [
            (["estimate"], Set(Kinds.standard.listed), true),
            (["user"], Set(Kinds.standard.listed), false),
            (["artwork"], [.artist, .show, .album, .location], false),
            (["image"], [.artist, .album, .location], false),
            (["show cover"], [.artist, .artwork, .album, .location], false),
            (["album edits"], [.artist, .artwork, .show, .location], false),
        ] as [(Set<String>, Set<Kind>, Bool)])
    func aLeftOutNodeMakesItsKindsIncomplete(_ leftOut: Set<String>, _ complete: Set<Kind>, _ isWhole: Bool) {
        let coverage = TreeCoverage(SyncTree.tree.leavingOut(leftOut))
        #expect(coverage.complete == complete)
        #expect(coverage.isWhole == isWhole)
    }

    @Test func aTreeWithoutTilesIsIncompleteIfTilesAreWanted() {
        let coverage = TreeCoverage(SyncTree.tree, tiles: true)
        #expect(!coverage.isWhole)
        #expect(coverage.complete == [.artist, .album, .location])
    }

    @Test func aTreeThatDoesNotPushAlbumEditsStillCoversAlbums() {
        let tree = SyncTree.partner {
            SyncTree.details
            SyncTree.locations
            SyncTree.artists
            SyncTree.artworks()
            SyncTree.shows()
            SyncTree.albums
        }
        #expect(TreeCoverage(tree).isWhole)
    }

    @Test func aTreeForSomeKindsHasOnlyTheNodesOfTheseKinds() {
        var options = SyncOptions()
        options.only = [.album, .artist]
        let tree = SyncTree.tree(walking: options)
        #expect(
            tree.nodes.map(\.name) == [
                "Sync", "artist", "artist documents", "document file", "album edits", "album deletions",
                "album",
                "album artworks",
            ])
        #expect(TreeCoverage(tree).kinds == options.only)
        options.only = Set(Kinds.standard.listed)
        #expect(!TreeCoverage(SyncTree.tree(walking: options)).isWhole, "the node of the user is missing")
    }

    @Test func anAppsTreeForSomeKindsKeepsTheAppsNodesUnderThem() {
        let own = SyncTree.partner {
            SyncTree.details
            SyncTree.artists
            SyncTree.artworks(pictures: SyncTree.pictures { SyncTree.tiles })
        }
        var options = SyncOptions()
        options.only = [.artwork]
        #expect(
            SyncTree.tree(walking: options, own: own).nodes.map(\.name) == [
                "Sync", "artwork", "image", "image tiles",
            ])
    }
}
