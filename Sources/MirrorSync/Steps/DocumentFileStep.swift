import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// The bytes of a document.
package struct DocumentFileStep: Step {
    package typealias Output = Never

    package init() {}

    package func identity(of item: DocumentSource) -> String {
        "\(item.owner.kind.name)/\(item.owner.id)/\(item.id)"
    }

    package func listIdentity(of input: DocumentSource) -> String { identity(of: input) }

    package func expand(_ input: DocumentSource, in context: StepContext) async throws -> Expansion<
        DocumentSource
    > {
        // The row may still wait to be written; what is known of its file is in the store either way.
        let known = try input.environment.store.documentFile(of: input.owner, id: input.id)
        let isHere = known?.suffices(for: input.entry, input.environment.options) == true
        return isHere ? .empty : .one(input)
    }

    package func perform(_ item: DocumentSource, in context: StepContext) async throws -> [Never] {
        let environment = item.environment
        let known = try environment.store.documentFile(of: item.owner, id: item.id)
        let download = FileDownload(
            environment: environment, url: item.uri, held: known?.file == nil ? nil : known,
            use: .document(item.id, of: item.owner), isPicture: false, size: item.size)
        if let plan = environment.plan {
            guard download.isFirst else { return [] }
            if known?.isUnavailable == true {
                plan.willAskAgainForFile()
            } else if known?.file == nil {
                plan.willFetchDocument(item.id, size: item.size)
            } else {
                plan.willSend(1, confirmations: 1)
            }
            return []
        }
        environment.report.begins("document", item.id)
        var file: StoredFile?, isCurrent = false
        var etag: String?, modified: String?
        switch try await download.fetch(isRetry: context.isRetry) {
        case .file(let stored, let newETag, let newModified):
            (file, etag, modified) = (stored, newETag, newModified)
        case .current: (etag, modified, isCurrent) = (known?.etag, known?.lastModified, true)
        case .unavailable: break
        }
        try await environment.applier.submit(
            .file(
                FileRecord(
                    .document(item.id, of: item.owner), entry: item.entry, file: file, etag: etag,
                    lastModified: modified, isCurrent: isCurrent)))
        return []
    }

    package func operations(performing item: DocumentSource) -> [String] { [item.uri] }
}
