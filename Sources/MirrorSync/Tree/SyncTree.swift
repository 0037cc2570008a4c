import Catalogue
import MirrorHTTP
import OperationTree

/// The trees of a sync. The output of each node is the input of its child nodes.
///
/// An app can pass its own tree to a ``Sync`` or ``Watch``. This is the whole tree with a node that makes thumbnails:
///
/// ```swift
/// let pictures = SyncTree.pictures { Node("thumbnail", ThumbnailStep()) }
/// let tree = SyncTree.tree(pictures: pictures)
/// ```
///
/// This tree has a part of the sub-trees:
///
/// ```swift
/// let some = SyncTree.partner {
///     SyncTree.details
///     SyncTree.artists
///     SyncTree.artworks(pictures: pictures)
///     SyncTree.shows(pictures: pictures)
///     SyncTree.albums
/// }
/// ```
///
/// `SyncTree.tree.leavingOut(["show cover"])` leaves nodes out. Keep the names of the standard nodes: they tell a run what its
/// tree lists (``TreeCoverage``). If the node of a kind is left out, or a node under it, the run doesn't sweep what that node
/// lists, and doesn't change the kind's since date. A dry run (``Sync/plan(_:)``) leaves an app's own nodes out, because it
/// can't predict what they do.
public enum SyncTree {
    /// A node under the partner.
    public typealias Objects = Node<PartnerID, SyncEnvironment>
    /// A node whose input is the pictures of an artwork or show.
    public typealias PictureNode = Node<Pictures, SyncEnvironment>
    /// A node under ``PictureNode``.
    public typealias FileNode = Node<StoredPicture, SyncEnvironment>

    /// The whole tree, which a ``Sync`` walks by default.
    public static let tree = tree(pictures: pictures)
    /// The whole tree with the option `tiles` (``SyncOptions/tiles``).
    public static let tiledTree = tree(pictures: tiledPictures)

    /// The whole tree with an app's own node for pictures, made by ``pictures(_:)``.
    public static func tree(pictures: PictureNode) -> Tree<String, SyncEnvironment> {
        partner {
            details
            locations
            artists
            artworks(pictures: pictures)
            shows(pictures: pictures)
            editedAlbums
        }
    }

    /// A tree with the partner at its root and these nodes under it. A synchronous run visits them in this order.
    public static func partner(
        @Edges<PartnerID, SyncEnvironment> _ nodes: () -> [Objects]
    ) -> Tree<String, SyncEnvironment> {
        Tree("Sync", PartnerStep(), children: nodes)
    }

    /// The tree that a run walks: an app's tree or the standard one, limited to the nodes of ``SyncOptions/only``.
    static func tree(
        walking options: SyncOptions, own: Tree<String, SyncEnvironment>? = nil
    ) -> Tree<String, SyncEnvironment> {
        let fullTree = own ?? standard(tiles: options.walksTiles)
        guard !options.only.isEmpty else { return fullTree }
        let names = Set(options.only.map(\.name))
        let omitted = (fullTree.nodes.first?.children ?? []).filter { node in
            !names.contains(node) && names.isDisjoint(with: fullTree.names(under: node))
        }
        return fullTree.leavingOut(Set(omitted))
    }

    /// The tree without an app's own nodes, for a dry run, which can't predict what they do.
    static func foreseeable(_ tree: Tree<String, SyncEnvironment>) -> Tree<String, SyncEnvironment> {
        tree.leavingOut(Set(tree.nodes.filter { !($0.step is any SyncStep) }.map(\.name)))
    }

    static func standard(tiles: Bool) -> Tree<String, SyncEnvironment> { tiles ? tiledTree : tree }

    /// A tree that downloads missing files of stored objects, with the nodes that download them in the given tree.
    static func files(as tree: Tree<String, SyncEnvironment>) -> Tree<[Owner], SyncEnvironment> {
        Tree("Files") {
            if let pictures = tree.node(pictures.name, taking: Pictures.self) {
                Node("pictures", StoredPicturesStep()) { pictures }
            }
            if let files = tree.node(documentFiles.name, taking: DocumentFile.self) {
                Node("documents", StoredDocumentsStep()) { files }
            }
        }
    }

    // MARK: - Shared sub-trees

    /// Requested once a run: the totals, the user, and the partner's metadata.
    public static var details: [Objects] {
        [Node("estimate", EstimateStep()), Node("user", UserStep()), Node("metadata", MetadataStep())]
    }

    /// Locations, with the artworks at each.
    public static var locations: Objects {
        Node("location", ObjectStep(.location)) {
            Node("location artworks", MembersStep(of: .location))
        }
    }

    /// Artists, with their documents.
    public static var artists: Objects {
        Node("artist", ObjectStep(.artist)) {
            Node("artist documents", DocumentsStep()) { documentFiles }
        }
    }

    /// Artworks, with a node for their pictures: ``pictures`` by default, or one with an app's nodes under it.
    public static func artworks(pictures: PictureNode = pictures) -> Objects {
        Node("artwork", ObjectStep(pictured: .artwork)) { pictures }
    }

    /// Shows, with their artworks, documents, installation shots and cover. Pass the artworks' node for pictures.
    public static func shows(pictures: PictureNode = pictures) -> Objects {
        Node("show", ObjectStep(.show)) {
            Node("show artworks", MembersStep(of: .show))
            Node("show documents", DocumentsStep()) { documentFiles }
            Node("installation shots", ShowImagesStep.installationShots) { pictures }
            Node("show cover", ShowImagesStep.cover) { pictures }
        }
    }

    /// Albums, after local edits and deletions were pushed.
    public static var editedAlbums: Objects {
        Node("album edits", AlbumPushStep.edits) {
            Node("album deletions", AlbumPushStep.deletions) { albums }
        }
    }

    /// Albums, with their artworks; local edits are not pushed.
    public static var albums: Objects {
        Node("album", ObjectStep(.album)) {
            Node("album artworks", MembersStep(of: .album))
        }
    }

    /// The files of pictures, with an app's nodes, whose input is each file that a run stores (``StoredPicture``).
    ///
    /// Make one node and pass it to both artworks and shows, so that it is shared.
    public static func pictures(@Edges<StoredPicture, SyncEnvironment> _ nodes: () -> [FileNode])
        -> PictureNode
    {
        Node("image", ImageStep(), lane: .media, children: nodes)
    }

    /// The files of pictures. It is one shared node: a file of several objects is downloaded once a run.
    public static let pictures = pictures {}
    /// The files of pictures, with their tiles under them.
    static let tiledPictures = pictures { tiles }
    /// The deep-zoom tiles of pictures, for an app's tree with the option `tiles`.
    public static let tiles = FileNode("image tiles", ImageTileStep(), lane: .media)

    static let documentFiles = Node("document file", DocumentFileStep(), lane: .media)
}

/// A step of a sync's tree. Its operations are requests.
protocol SyncStep: Step where Environment == SyncEnvironment, Operation == any RequestOperation {}

typealias SyncContext = StepContext<SyncEnvironment>

/// A step whose only item is its input.
protocol SingleItemStep: SyncStep where Input == Item {}

extension SyncTree {
    /// Nodes whose items are files.
    static let fileNodes: Set = [pictures.name, tiles.name, documentFiles.name]

    /// The kind of a node's items, by its name: most nodes are named after their kind, or after a list under it.
    static func kind(ofNode node: String, in kinds: Kinds) -> String? {
        if let kind = kinds[node] ?? otherNodes[node] { return kind.name }
        if node == pictures.name { return node }
        if node == tiles.name { return ImageTile.kind }
        let owner = kinds.all.first { kind in kind.lists.contains { node == "\(kind.name) \($0.title)" } }
        return node.hasSuffix(" \(ObjectList.documents.title)") ? Kind.document.name : owner?.name
    }

    private static let otherNodes: [String: Kind] = [
        tree.name: .partner, documentFiles.name: .document, "installation shots": .show, "show cover": .show,
        "album edits": .album, "album deletions": .album,
    ]
}

extension SyncEnvironment {
    /// Fetches objects by their ids, with everything under them, and stores them. No list of a kind is requested.
    ///
    /// - Throws: `CancellationError`, or the error that ended the tree's run: ``SyncError``, ``StoreError``.
    func fetch(_ items: [Kind: [ObjectItem]], isUnlisted: Bool = false) async throws -> OperationTree.Outcome
    {
        let given = kinds.listed.map { ($0, items[$0] ?? []) }
        let outcome = await feeding(Dictionary(uniqueKeysWithValues: given), isUnlisted: isUnlisted)
            .run(objectTree, on: [PartnerID(partnerID)]).execute()
        try await applier.flush()
        if outcome.isCancelled { throw CancellationError() }
        if let error = outcome.error { throw error }
        return outcome
    }

    /// A tree for objects that are known by their ids: the nodes of their kinds, with everything under them in this run's tree.
    private var objectTree: Tree<[PartnerID], SyncEnvironment> {
        Tree("Ghosts") {
            for kind in kinds.listed {
                if let node = tree.node(kind.name, taking: PartnerID.self) { node }
            }
        }
    }

    /// Performs `work` on each subject, at most `width` concurrently; one after the other in a synchronous run.
    ///
    /// - Returns: the results in order of completion.
    func each<Subject: Sendable, Result: Sendable>(
        of subjects: [Subject], atOnce width: Int,
        _ work: @escaping @Sendable (Subject) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            var waiting = subjects[...], results: [Result] = []
            func next() {
                guard let subject = waiting.popFirst() else { return }
                group.addTask { try await work(subject) }
            }
            for _ in 0..<(options.synchronous ? 1 : max(1, width)) { next() }
            while let result = try await group.next() {
                results.append(result)
                next()
            }
            return results
        }
    }

    /// A run of a tree with the lanes and mode of the options. ``pausing`` can pause it.
    func run<Input>(_ tree: Tree<Input, SyncEnvironment>, on input: Input) -> Run<Input, SyncEnvironment> {
        let run = Run(
            tree, input: input, environment: self, mode: options.synchronous ? .synchronous : .concurrent,
            configuration: RunConfiguration(
                lanes: [.requests: options.requestLane, .media: options.mediaLane], timeLimit: .seconds(1_800)
            ))
        pausing.adopt(run)
        return run
    }
}
