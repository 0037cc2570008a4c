import Catalogue
import MirrorStore
import OperationTree

/// The wiring by which single objects are fetched that no list of the run led to: the sync's own steps.
enum GhostTree {
    static let tree: Tree<PartnerScope> = {
        let pictures = Node("image", ImageStep(), lane: .media)
        let files = Node("document file", DocumentFileStep(), lane: .media)
        return Tree("Ghosts", GivenScopeStep()) {
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
            Node("album", ObjectStep(.album)) {
                Node("album artworks", MembersStep(of: .album))
            }
        }
    }()

    /// The kinds that it fetches.
    static let kinds = SyncEnvironment.listedKinds

    /// Looks at the objects that are given, and at what is under them; no list of a kind is asked for.
    static func run(
        _ items: [Kind: [GivenItem]], in scope: PartnerScope, isUnlisted: Bool = false
    ) async -> OperationTree.Outcome {
        let given = kinds.map { ($0, Listing.given(items[$0] ?? [])) }
        let options = scope.environment.options
        return await Run(
            tree, input: scope.listing(Dictionary(uniqueKeysWithValues: given), isUnlisted: isUnlisted),
            mode: options.synchronous ? .synchronous : .concurrent,
            configuration: RunConfiguration(
                lanes: [.requests: options.requestLane, .media: options.mediaLane], timeLimit: .seconds(1_800)
            )
        ).execute()
    }
}

/// A root that asks nobody: the partner is known.
struct GivenScopeStep: Step {
    func identity(of item: PartnerScope) -> String { item.id }
    func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<PartnerScope> {
        .one(input)
    }
    func perform(_ item: PartnerScope, in context: StepContext) async throws -> [PartnerScope] { [item] }
}
