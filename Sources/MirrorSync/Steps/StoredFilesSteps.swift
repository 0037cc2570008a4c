import Catalogue
import MirrorStore
import OperationTree

/// The stored pictures of an artwork or show, whose files may have to be fetched.
struct StoredPicturesStep: SyncStep {
    func identity(of item: Pictures) -> String { item.role.rawValue }
    func listIdentity(of input: Owner) -> String { "\(input.kind.name)/\(input.id)" }

    func expand(_ input: Owner, in context: SyncContext) async throws -> Expansion<Pictures> {
        Expansion(try input.kind.imageRoles.flatMap { try Pictures.stored(input, $0, context.environment) })
    }

    func perform(_ item: Pictures, in context: SyncContext) async throws -> [Pictures] { [item] }
}

/// The stored documents of a show or artist whose files are missing.
struct StoredDocumentsStep: SyncStep {
    func identity(of item: DocumentFile) -> String { item.id }
    func listIdentity(of input: Owner) -> String { "\(input.kind.name)/\(input.id)" }

    func expand(_ input: Owner, in context: SyncContext) async throws -> Expansion<DocumentFile> {
        let environment = context.environment
        guard environment.options.media, input.kind.hasDocuments else { return .empty }
        let documents = try environment.store.storedDocuments(of: input).filter { !$0.hasFile }
        return Expansion(documents.compactMap { DocumentFile($0, of: input) })
    }

    func perform(_ item: DocumentFile, in context: SyncContext) async throws -> [DocumentFile] { [item] }
}
