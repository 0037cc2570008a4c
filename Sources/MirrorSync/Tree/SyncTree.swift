import Catalogue
import OperationTree

/// The wiring of the whole sync: what is put out on the left goes into what stands to its right.
package enum SyncTree {
    package static let tree: Tree<SyncEnvironment> = {
        let pictures = Node("image", ImageStep(), lane: .media)
        let files = Node("document file", DocumentFileStep(), lane: .media)
        return Tree("Sync", PartnerStep()) {
            Node("estimate", EstimateStep())
            Node("user", UserStep())
            Node("metadata", MetadataStep())
            Node("location", ObjectStep(.location)) {
                Node("location artworks", MembersStep(of: .location))
            }
            Node("artist", ObjectStep(.artist)) {
                Node("artist documents", DocumentsStep()) { files }
            }
            Node("artwork", ObjectStep(pictured: .artwork)) { pictures }
            Node("show", ObjectStep(.show)) {
                Node("show artworks", MembersStep(of: .show))
                Node("show documents", DocumentsStep()) { files }
                Node("installation shots", ShowImagesStep.installationShots) { pictures }
                Node("show cover", ShowImagesStep.cover) { pictures }
            }
            Node("album edits", AlbumEditsStep()) {
                Node("album deletions", AlbumDeletionsStep()) {
                    Node("album", ObjectStep(.album)) {
                        Node("album artworks", MembersStep(of: .album))
                    }
                }
            }
        }
    }()
}
