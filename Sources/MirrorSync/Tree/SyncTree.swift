import Catalogue
import OperationTree

/// The trees of a sync: what is put out on the left goes into what stands to its right.
package enum SyncTree {
    package typealias Objects = Node<PartnerID, SyncEnvironment>

    /// The whole sync.
    package static let tree = Tree<String, SyncEnvironment>("Sync", PartnerStep()) {
        Node("estimate", EstimateStep())
        Node("user", UserStep())
        Node("metadata", MetadataStep())
        listed
        Node("album edits", AlbumPushStep.edits) {
            Node("album deletions", AlbumPushStep.deletions) { albums }
        }
    }

    /// Objects that are known by their ids, with all that is under them: what something refers to, or a feed named.
    package static let objects = Tree<[PartnerID], SyncEnvironment>("Ghosts") {
        listed
        albums
    }

    /// Files that are to be fetched for objects that are stored.
    package static let files = Tree<[Owner], SyncEnvironment>("Files") {
        Node("pictures", StoredPicturesStep()) { pictures }
        Node("documents", StoredDocumentsStep()) { documentFiles }
    }

    // MARK: - Shared sub-trees

    /// What a partner lists, but for albums, which wait for what was edited here.
    package static var listed: [Objects] { [locations, artists, artworks, shows] }

    package static var locations: Objects {
        Node("location", ObjectStep(.location)) {
            Node("location artworks", MembersStep(of: .location))
        }
    }

    package static var artists: Objects {
        Node("artist", ObjectStep(.artist)) {
            Node("artist documents", DocumentsStep()) { documentFiles }
        }
    }

    package static var artworks: Objects {
        Node("artwork", ObjectStep(pictured: .artwork)) { pictures }
    }

    package static var shows: Objects {
        Node("show", ObjectStep(.show)) {
            Node("show artworks", MembersStep(of: .show))
            Node("show documents", DocumentsStep()) { documentFiles }
            Node("installation shots", ShowImagesStep.installationShots) { pictures }
            Node("show cover", ShowImagesStep.cover) { pictures }
        }
    }

    package static var albums: Objects {
        Node("album", ObjectStep(.album)) {
            Node("album artworks", MembersStep(of: .album))
        }
    }

    /// One shared node: what several objects name is fetched once a run.
    package static let pictures = Node("image", ImageStep(), lane: .media)
    package static let documentFiles = Node("document file", DocumentFileStep(), lane: .media)
}

extension SyncEnvironment {
    /// Fetches objects by their ids, with all that is under them; no list of a kind is requested.
    func fetch(_ items: [Kind: [GivenItem]], isUnlisted: Bool = false) async -> OperationTree.Outcome {
        let given = kinds.listed.map { ($0, ObjectSource.given(items[$0] ?? [])) }
        return await feeding(Dictionary(uniqueKeysWithValues: given), isUnlisted: isUnlisted)
            .run(SyncTree.objects, on: [PartnerID(partnerID)]).execute()
    }

    /// Runs a tree as the options say.
    func run<Input>(_ tree: Tree<Input, SyncEnvironment>, on input: Input) -> Run<Input, SyncEnvironment> {
        Run(
            tree, input: input, environment: self, mode: options.synchronous ? .synchronous : .concurrent,
            configuration: RunConfiguration(
                lanes: [.requests: options.requestLane, .media: options.mediaLane], timeLimit: .seconds(1_800)
            ))
    }
}
