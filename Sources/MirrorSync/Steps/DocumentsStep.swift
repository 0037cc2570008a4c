import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Fetches the documents of a show or artist; outputs those whose files are wanted.
struct DocumentsStep: SyncStep {
    struct Item: Sendable {
        let owner: Owner
        let id: String
        let stored: StoredDocument?
        /// Whether the stored document is current, so that only its file is missing.
        let isVouched: Bool
        /// Whether a cached answer must be revalidated even if it is fresh: the server reported a change under the owner.
        var mustReachServer = false
    }

    func identity(of item: Item) -> String { "\(item.owner.id)/\(item.id)" }
    func listIdentity(of input: OwnerLists) -> String { input.url(of: .documents) }

    func expand(_ input: OwnerLists, in context: SyncContext) async throws -> Expansion<Item> {
        let environment = context.environment, owner = input.owner
        switch try await SubList(.documents, of: input, environment).request(mayBeMissing: true) {
        case .notSupported:
            return .empty
        case .current(let isVouched, let members):
            guard members > 0 else { return .empty }
            let stored = try environment.store.storedDocuments(of: owner)
            count(stored.count, environment)
            // A list of documents names ids alone, so a document may have changed although the list did not. Only directly
            // after a snapshot was loaded are all of them current.
            let mayHaveChanged = isVouched && !environment.isSnapshotLoaded
            let isCurrent = isVouched && !mayHaveChanged
            let items = stored.filter { document in
                !isCurrent || environment.options.media && document.wantsFile(environment.options)
            }
            return Expansion(
                items.map {
                    Item(
                        owner: owner, id: $0.id, stored: $0, isVouched: isCurrent,
                        mustReachServer: mayHaveChanged)
                })
        case .ids(let ids, let answer):
            try await environment.applier.submit(.members(list: answer, ids: ids))
            guard !ids.isEmpty else { return Expansion([], complete: { answer.isComplete }) }
            var seen = Set<ExactText>()
            let uniqueIDs = ids.filter { seen.insert(ExactText($0)).inserted }
            count(uniqueIDs.count, environment)
            let stored = try environment.store.storedDocuments(of: owner)
            let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            return Expansion(
                uniqueIDs.map { Item(owner: owner, id: $0, stored: known[$0], isVouched: false) },
                complete: { answer.isComplete })
        }
    }

    /// A list whose documents aren't all stored must not be vouched for.
    func finished(_ input: OwnerLists, _ scope: SubtreeOutcome, in context: SyncContext) async throws {
        guard scope.failedItems > 0 else { return }
        let url = listIdentity(of: input)
        context.environment.report.note { $0.unsettled.append(url) }
    }

    func perform(_ item: Item, in context: SyncContext) async throws -> [DocumentFile] {
        let environment = context.environment, owner = item.owner
        if item.isVouched { return storedFile(item, environment) }
        let operation = operation(item, environment), answer: ObjectAnswer
        do {
            answer = try await environment.breaker.counting(operation.route, isRetry: context.isRetry) {
                try await environment.send(operation)
            }
        } catch let error as HTTPError where error.code == .notFound {
            environment.report.note { state in
                state.documentsNotFound["\(owner.kind.name)/\(owner.id)/\(item.id)"] =
                    operation.route.canonicalURL
            }
            if try await isGone(item, environment) { return [] }
            throw LastingFailure(cause: error)
        }
        try await environment.checkStaleness(
            of: answer, announced: nil, owner.kind, owner.id, "a document of it")
        guard let json = answer.json else { return storedFile(item, environment) }
        let document = try environment.reading(operation) {
            try Document.read(json, id: item.id, report: environment.report)
        }
        let record = DocumentRecord(
            document, owner: owner, partner: environment.partnerID, etag: answer.etag)
        try await environment.applier.submit(.document(record))
        guard environment.options.media, let uri = document.uri else { return [] }
        return [
            DocumentFile(
                owner: owner, id: item.id, uri: uri, entry: EntryDigest.of(record.json), size: document.size)
        ]
    }

    func operations(expanding input: OwnerLists, in context: SyncContext) -> [any RequestOperation] {
        [SubList(.documents, of: input, context.environment).operation(known: nil)]
    }

    func operations(performing item: Item, in context: SyncContext) -> [any RequestOperation] {
        item.isVouched ? [] : [operation(item, context.environment)]
    }

    func operation(_ item: Item, _ environment: SyncEnvironment) -> ObjectOperation {
        ObjectOperation(
            environment.router.document(item.id, of: item.owner), known: item.stored?.etag,
            cache: item.mustReachServer ? .noCache : .use, bodyLimit: ObjectOperation.bodyLimit,
            isReload: environment.options.full, subject: .document(item.owner, item.stored))
    }

    /// Whether a document that was listed, and then not found, is no longer listed: then it was deleted, which is no failure.
    private func isGone(_ item: Item, _ environment: SyncEnvironment) async throws -> Bool {
        let under = OwnerLists(owner: item.owner, partner: environment.partnerID)
        let again = try await SubList(.documents, of: under, environment).requestAgain()
        guard let again, again.answer.isComplete, !again.ids.contains(item.id) else { return false }
        try await environment.applier.submit(.members(list: again.answer, ids: again.ids))
        return true
    }

    /// The file of an unchanged document, if it is wanted and not yet stored.
    private func storedFile(_ item: Item, _ environment: SyncEnvironment) -> [DocumentFile] {
        guard environment.options.media, let stored = item.stored, stored.wantsFile(environment.options)
        else { return [] }
        return [DocumentFile(stored, of: item.owner)].compactMap(\.self)
    }

    private func count(_ count: Int, _ environment: SyncEnvironment) {
        environment.report.note { $0.listed[.document, default: 0] += count }
    }
}

extension StoredDocument {
    /// Whether its file has to be requested, provided that files are fetched at all.
    func wantsFile(_ options: SyncOptions) -> Bool {
        !hasFile || options.revalidateMedia || (options.full && isUnavailable)
    }
}

/// A document whose file is wanted.
struct DocumentFile: Sendable {
    let owner: Owner
    let id: String
    /// As in the document's JSON.
    let uri: String
    /// The digest of the document's JSON: a file belongs to one version of it.
    let entry: String
    /// In bytes, as the document's JSON states it; `nil` if it doesn't.
    let size: Int?
}

extension DocumentFile {
    /// `nil` if the document has no file.
    init?(_ stored: StoredDocument, of owner: Owner) {
        guard let uri = stored.uri else { return nil }
        self.init(
            owner: owner, id: stored.id, uri: uri, entry: EntryDigest.of(stored.json),
            size: stored.size.map(Int.init))
    }
}

/// Downloads a document's file.
struct DocumentFileStep: SyncStep {
    func identity(of item: DocumentFile) -> String {
        "\(item.owner.kind.name)/\(item.owner.id)/\(item.id)"
    }
    func listIdentity(of input: DocumentFile) -> String { identity(of: input) }

    func expand(_ input: DocumentFile, in context: SyncContext) async throws -> Expansion<DocumentFile> {
        // The document's row may not be written yet, but its file's row is stored independently of that.
        let known = try context.environment.store.documentFile(of: input.owner, id: input.id)
        return known?.suffices(for: input.entry, context.environment.options) == true ? .empty : .one(input)
    }

    func perform(_ item: DocumentFile, in context: SyncContext) async throws -> [Never] {
        let use = FileUse.document(item.id, of: item.owner)
        let known = try context.environment.store.documentFile(of: item.owner, id: item.id)
        try await FileDownload(
            environment: context.environment, url: item.uri, known: known, use: use, size: item.size
        ).store(for: item.entry, isRetry: context.isRetry)
        return []
    }

    func operations(performing item: DocumentFile, in context: SyncContext) -> [any RequestOperation] {
        [FileOperation(item.uri, isPicture: false, base: context.environment.session.base)]
    }
}

/// Outputs the stored documents of a show or artist whose files are missing.
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
