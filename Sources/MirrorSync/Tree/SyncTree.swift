import Catalogue
import MirrorHTTP
import OperationTree

/// The trees of a sync: what is put out on the left goes into what stands to its right.
///
/// An app hands a tree of its own to a ``Sync`` or ``Watch``. The whole sync, with a node that makes thumbnails:
///
/// ```swift
/// let pictures = SyncTree.pictures { Node("thumbnail", ThumbnailStep()) }
/// let tree = SyncTree.tree(pictures: pictures)
/// ```
///
/// One that has a part of the sub-trees:
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
/// `SyncTree.tree.leavingOut(["show cover"])` leaves nodes out. The nodes keep their names: by them a run knows what its tree
/// has (``TreeCoverage``). A run sweeps nothing of a kind whose node was left out, and nothing of what a left-out node under it lists, and
/// moves no since date. A dry run (``Sync/plan(_:)``) leaves an app's own nodes out: what they would do isn't known.
public enum SyncTree {
    /// A node under the partner.
    public typealias Objects = Node<PartnerID, SyncEnvironment>
    /// A node that takes in the pictures of an artwork or show.
    public typealias PictureNode = Node<Pictures, SyncEnvironment>
    /// A node under ``PictureNode``.
    public typealias FileNode = Node<StoredPicture, SyncEnvironment>

    /// The whole sync: what a ``Sync`` runs by default.
    public static let tree = tree(pictures: pictures)
    /// The whole sync with the option `tiles` (``SyncOptions/tiles``).
    public static let tiledTree = tree(pictures: tiledPictures)

    /// The whole sync with a node of an app's own for pictures, from ``pictures(_:)``.
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

    /// A sync's tree, with the partner at its root, from the nodes under it in the order in which a synchronous run visits them.
    public static func partner(
        @Edges<PartnerID, SyncEnvironment> _ nodes: () -> [Objects]
    ) -> Tree<String, SyncEnvironment> {
        Tree("Sync", PartnerStep(), children: nodes)
    }

    /// What a run walks: an app's own tree, or the whole one; with ``SyncOptions/only``, what lists these kinds in it.
    static func tree(
        walking options: SyncOptions, own: Tree<String, SyncEnvironment>? = nil
    ) -> Tree<String, SyncEnvironment> {
        let whole = own ?? standard(tiles: options.walksTiles)
        guard !options.only.isEmpty else { return whole }
        let names = Set(options.only.map(\.name))
        let left = (whole.nodes.first?.children ?? []).filter { node in
            !names.contains(node) && names.isDisjoint(with: whole.names(under: node))
        }
        return whole.leavingOut(Set(left))
    }

    /// What a dry run walks of a tree: an app's own nodes may do anything, and are left out.
    static func foreseeable(_ tree: Tree<String, SyncEnvironment>) -> Tree<String, SyncEnvironment> {
        tree.leavingOut(Set(tree.nodes.filter { !($0.step is any SyncStep) }.map(\.name)))
    }

    static func standard(tiles: Bool) -> Tree<String, SyncEnvironment> { tiles ? tiledTree : tree }

    /// Files that are to be fetched for objects that are stored, by the nodes that fetch them in a sync's tree.
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

    /// What is requested once a run: how much there is, the user, and the partner's metadata.
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

    /// Artworks, with a node for their pictures: ``pictures`` by default, or one with nodes of an app under it.
    public static func artworks(pictures: PictureNode = pictures) -> Objects {
        Node("artwork", ObjectStep(pictured: .artwork)) { pictures }
    }

    /// Shows, with their artworks, documents, installation shots and cover, and a node for their pictures: the same as that of
    /// the artworks.
    public static func shows(pictures: PictureNode = pictures) -> Objects {
        Node("show", ObjectStep(.show)) {
            Node("show artworks", MembersStep(of: .show))
            Node("show documents", DocumentsStep()) { documentFiles }
            Node("installation shots", ShowImagesStep.installationShots) { pictures }
            Node("show cover", ShowImagesStep.cover) { pictures }
        }
    }

    /// Albums, after what was edited or deleted here was pushed.
    public static var editedAlbums: Objects {
        Node("album edits", AlbumPushStep.edits) {
            Node("album deletions", AlbumPushStep.deletions) { albums }
        }
    }

    /// Albums, with their artworks; what was edited here isn't pushed.
    public static var albums: Objects {
        Node("album", ObjectStep(.album)) {
            Node("album artworks", MembersStep(of: .album))
        }
    }

    /// The files of pictures, with nodes of an app that take in each file that a run stores (``StoredPicture``). Made once, it is
    /// one shared node under artworks and shows.
    public static func pictures(@Edges<StoredPicture, SyncEnvironment> _ nodes: () -> [FileNode])
        -> PictureNode
    {
        Node("image", ImageStep(), lane: .media, children: nodes)
    }

    /// One shared node: what several objects name is fetched once a run.
    public static let pictures = pictures {}
    /// The same with the tiles of pictures under it.
    static let tiledPictures = pictures { tiles }
    /// The deep-zoom tiles of pictures, for a tree of an app's own that has the option `tiles`.
    public static let tiles = FileNode("image tiles", ImageTileStep(), lane: .media)

    static let documentFiles = Node("document file", DocumentFileStep(), lane: .media)
}

/// A step of a sync's tree. What it would send are operations.
protocol SyncStep: Step where Environment == SyncEnvironment, Operation == any RequestOperation {}

typealias SyncContext = StepContext<SyncEnvironment>

/// A step whose only item is what it takes in.
protocol SingleItemStep: SyncStep where Input == Item {}

extension SyncTree {
    /// Nodes whose items are files.
    static let fileNodes: Set = [pictures.name, tiles.name, documentFiles.name]

    /// What the items of a node are, by its name: most nodes are called like their kind, or like a list under one.
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
    /// Fetches objects by their ids, with all that is under them, and stores them; no list of a kind is requested.
    ///
    /// - Throws: `CancellationError`, or what ended the tree's run: ``SyncError``, ``StoreError``.
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

    /// Objects that are known by their ids, with all that is under them in this run's tree: what something refers to, or a feed
    /// named.
    private var objectTree: Tree<[PartnerID], SyncEnvironment> {
        Tree("Ghosts") {
            for kind in kinds.listed {
                if let node = tree.node(kind.name, taking: PartnerID.self) { node }
            }
        }
    }

    /// Does something with each of these, some at once; one after the other in a synchronous run.
    ///
    /// - Returns: the results as they come.
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

    /// Runs a tree as the options say.
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
