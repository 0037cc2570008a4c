import Catalogue
import MirrorStore
import OperationTree

/// The wiring by which the bytes follow that belong to what is stored already: pictures and documents of some owners.
enum FilesTree {
    static let tree: Tree<FilesOf> = {
        Tree("Files", FileOwnersStep()) {
            Node("pictures", StoredPicturesStep()) {
                Node("image", ImageStep(), lane: .media)
            }
            Node("documents", StoredDocumentsStep()) {
                Node("document file", DocumentFileStep(), lane: .media)
            }
        }
    }()
}

/// Some owners of pictures or documents.
struct FilesOf: Sendable {
    let environment: SyncEnvironment
    let owners: [Owner]
}

/// One of them.
struct FileOwner: Sendable {
    let environment: SyncEnvironment
    let owner: Owner
}

/// A root that asks nobody.
struct FileOwnersStep: Step {
    func identity(of item: FileOwner) -> String { "\(item.owner.kind.name)/\(item.owner.id)" }
    func expand(_ input: FilesOf, in context: StepContext) async throws -> Expansion<FileOwner> {
        Expansion(input.owners.map { FileOwner(environment: input.environment, owner: $0) })
    }
    func perform(_ item: FileOwner, in context: StepContext) async throws -> [FileOwner] { [item] }
}

/// The pictures that are stored of an artwork or show.
struct StoredPicturesStep: Step {
    func identity(of item: PictureSource) -> String { item.role.rawValue }
    func listIdentity(of input: FileOwner) -> String { "\(input.owner.kind.name)/\(input.owner.id)" }

    func expand(_ input: FileOwner, in context: StepContext) async throws -> Expansion<PictureSource> {
        let roles: [ImageRole] =
            switch input.owner.kind {
            case .artwork: [.picture]
            case .show: [.installation, .cover]
            default: []
            }
        return Expansion(
            try roles.flatMap { try PictureSource.stored(input.environment, input.owner, $0) })
    }

    func perform(_ item: PictureSource, in context: StepContext) async throws -> [PictureSource] { [item] }
}

/// The documents that are stored of a show or artist and whose bytes are not here.
struct StoredDocumentsStep: Step {
    func identity(of item: DocumentSource) -> String { item.id }
    func listIdentity(of input: FileOwner) -> String { "\(input.owner.kind.name)/\(input.owner.id)" }

    func expand(_ input: FileOwner, in context: StepContext) async throws -> Expansion<DocumentSource> {
        let environment = input.environment, owner = input.owner
        guard environment.options.media, owner.kind == .show || owner.kind == .artist else { return .empty }
        let documents = try environment.store.storedDocuments(of: owner).filter { !$0.hasFile }
        return Expansion(
            documents.compactMap { document in
                document.uri.map {
                    DocumentSource(
                        environment: environment, owner: owner, id: document.id, uri: $0,
                        entry: EntryDigest.of(document.json), size: document.size.map(Int.init))
                }
            })
    }

    func perform(_ item: DocumentSource, in context: StepContext) async throws -> [DocumentSource] { [item] }
}
