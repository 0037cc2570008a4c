import Catalogue
import OperationTree

/// The trees of a sync: what is put out on the left goes into what stands to its right.
package enum SyncTree {
    typealias Objects = Node<PartnerID, SyncEnvironment>

    /// The whole sync.
    package static let tree = tree(pictures)
    /// The same with the option `tiles`.
    package static let tiledTree = tree(tiledPictures)

    /// What a run walks: the whole tree, or the nodes that list the kinds of ``SyncOptions/only``, with what is under them.
    static func tree(walking options: SyncOptions) -> Tree<String, SyncEnvironment> {
        guard !options.isWhole else { return options.tiles ? tiledTree : tree }
        return Tree("Sync", PartnerStep()) {
            listed(options.tiles ? tiledPictures : pictures).filter { node in
                options.only.contains { $0.name == node.name }
            }
            if options.walks(.album) { editedAlbums }
        }
    }

    private static func tree(_ pictures: Node<Pictures, SyncEnvironment>) -> Tree<String, SyncEnvironment> {
        Tree("Sync", PartnerStep()) {
            Node("estimate", EstimateStep())
            Node("user", UserStep())
            Node("metadata", MetadataStep())
            listed(pictures)
            editedAlbums
        }
    }

    /// Objects that are known by their ids, with all that is under them: what something refers to, or a feed named.
    static func objects(for options: SyncOptions) -> Tree<[PartnerID], SyncEnvironment> {
        Tree("Ghosts") {
            listed(options.tiles ? tiledPictures : pictures)
            albums
        }
    }

    /// Files that are to be fetched for objects that are stored.
    static func files(for options: SyncOptions) -> Tree<[Owner], SyncEnvironment> {
        Tree("Files") {
            Node("pictures", StoredPicturesStep()) { options.tiles ? tiledPictures : pictures }
            Node("documents", StoredDocumentsStep()) { documentFiles }
        }
    }

    // MARK: - Shared sub-trees

    /// What a partner lists, but for albums, which wait for what was edited here.
    static func listed(_ pictures: Node<Pictures, SyncEnvironment>) -> [Objects] {
        [locations, artists, artworks(pictures), shows(pictures)]
    }

    static var locations: Objects {
        Node("location", ObjectStep(.location)) {
            Node("location artworks", MembersStep(of: .location))
        }
    }

    static var artists: Objects {
        Node("artist", ObjectStep(.artist)) {
            Node("artist documents", DocumentsStep()) { documentFiles }
        }
    }

    static var artworks: Objects { artworks(pictures) }

    static func artworks(_ pictures: Node<Pictures, SyncEnvironment>) -> Objects {
        Node("artwork", ObjectStep(pictured: .artwork)) { pictures }
    }

    static var shows: Objects { shows(pictures) }

    static func shows(_ pictures: Node<Pictures, SyncEnvironment>) -> Objects {
        Node("show", ObjectStep(.show)) {
            Node("show artworks", MembersStep(of: .show))
            Node("show documents", DocumentsStep()) { documentFiles }
            Node("installation shots", ShowImagesStep.installationShots) { pictures }
            Node("show cover", ShowImagesStep.cover) { pictures }
        }
    }

    /// Albums, after what was edited here was pushed.
    static var editedAlbums: Objects {
        Node("album edits", AlbumPushStep.edits) {
            Node("album deletions", AlbumPushStep.deletions) { albums }
        }
    }

    static var albums: Objects {
        Node("album", ObjectStep(.album)) {
            Node("album artworks", MembersStep(of: .album))
        }
    }

    /// One shared node: what several objects name is fetched once a run.
    static let pictures = Node("image", ImageStep(), lane: .media)
    /// The same with the tiles of pictures under it.
    static let tiledPictures = Node("image", ImageStep(), lane: .media) {
        Node(tiles, ImageTileStep(), lane: .media)
    }
    static let documentFiles = Node("document file", DocumentFileStep(), lane: .media)
}

/// A step of a sync's tree.
protocol SyncStep: Step where Environment == SyncEnvironment {}

typealias SyncContext = StepContext<SyncEnvironment>

/// A step whose only item is what it takes in.
protocol SingleItemStep: SyncStep where Input == Item {}

extension SingleItemStep {
    func expand(_ input: Input, in context: SyncContext) async throws -> Expansion<Input> { .one(input) }
}

extension SyncTree {
    /// Nodes whose items are files.
    static let fileNodes: Set = [pictures.name, tiles, documentFiles.name]
    private static let tiles = "image tiles"

    /// What the items of a node are, by its name: most nodes are called like their kind, or like a list under one.
    static func kind(ofNode node: String, in kinds: Kinds) -> String? {
        if let kind = kinds[node] ?? otherNodes[node] { return kind.name }
        if node == pictures.name || node == tiles { return pictures.name }
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
            .run(SyncTree.objects(for: options), on: [PartnerID(partnerID)]).execute()
        try await applier.flush()
        if outcome.isCancelled { throw CancellationError() }
        if let error = outcome.error { throw error }
        return outcome
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
        Run(
            tree, input: input, environment: self, mode: options.synchronous ? .synchronous : .concurrent,
            configuration: RunConfiguration(
                lanes: [.requests: options.requestLane, .media: options.mediaLane], timeLimit: .seconds(1_800)
            ))
    }
}
