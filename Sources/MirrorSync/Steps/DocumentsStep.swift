import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// The documents of a show or artist; puts out those whose bytes are wanted.
package struct DocumentsStep: Step {
    package struct Item: Sendable {
        let scope: ObjectScope
        let id: String
        let stored: StoredDocument?
        /// Whether the stored document is current, so that only its bytes are missing.
        let isVouched: Bool
        /// Whether the server said that something under the owner is another, which beats freshness.
        var isDoubted = false
    }

    package init() {}

    package func identity(of item: Item) -> String { "\(item.scope.owner.id)/\(item.id)" }
    package func listIdentity(of input: ObjectScope) -> String { list(input).list.url }

    package func expand(_ input: ObjectScope, in context: StepContext) async throws -> Expansion<Item> {
        let environment = input.environment
        switch try await list(input).ask(mayBeMissing: true) {
        case .notOffered:
            return .empty
        case .current(let isVouched, let members):
            guard members > 0 else { return .empty }
            let stored = try environment.store.storedDocuments(of: input.owner)
            count(stored.count, environment)
            let isDoubted = isVouched && !input.partner.isJustLoaded
            let media = environment.options.media
            let items = stored.filter { document in
                !isVouched || isDoubted
                    || (media && document.wantsFile(environment.options))
            }
            return Expansion(
                items.map { document in
                    Item(
                        scope: input, id: document.id, stored: document, isVouched: isVouched && !isDoubted,
                        isDoubted: isDoubted)
                })
        case .ids(let ids, let answer):
            try await environment.applier.submit(.members(list: answer, ids: ids))
            guard !ids.isEmpty else { return Expansion([], complete: { answer.isComplete }) }
            var seen = Set<ExactText>()
            let each = ids.filter { seen.insert(ExactText($0)).inserted }
            count(each.count, environment)
            let stored = try environment.store.storedDocuments(of: input.owner)
            let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            return Expansion(
                each.map { Item(scope: input, id: $0, stored: known[$0], isVouched: false) },
                complete: { answer.isComplete })
        }
    }

    /// A list whose documents aren't all here must not be vouched for.
    package func finished(_ input: ObjectScope, _ scope: ScopeOutcome, in context: StepContext) async throws {
        guard scope.failedItems > 0 else { return }
        let url = list(input).list.url
        input.environment.report.note { $0.unsettled.append(url) }
    }

    package func perform(_ item: Item, in context: StepContext) async throws -> [DocumentSource] {
        let environment = item.scope.environment
        if item.isVouched { return [source(item)].compactMap(\.self) }
        if let plan = environment.plan {
            plan.willSend(1, confirmations: 1)
            if let stored = item.stored {
                plan.doubts(DoubtedDocument(owner: item.scope.owner, stored: stored))
            }
            return [source(item)].compactMap(\.self)
        }
        let fetched: Fetched
        do {
            let operation = operation(item)
            fetched = try await environment.objects.counting(operation.route, isRetry: context.isRetry) {
                try await environment.send(operation)
            }
        } catch let error as HTTPError where error.code == .notFound {
            let owner = item.scope.owner, url = operation(item).route.canonicalURL
            environment.report.note { state in
                state.documentsNotFound["\(owner.kind.name)/\(owner.id)/\(item.id)"] = url
            }
            if try await isGone(item) { return [] }
            throw LastingFailure(cause: error)
        }
        try await item.scope.partner.weigh(
            fetched, announced: nil, of: item.scope.owner.kind, item.scope.owner.id, "a document of it")
        guard case .body(let response) = fetched else { return [source(item)].compactMap(\.self) }
        let document = try environment.reading(operation(item)) {
            try Document.read(response, id: item.id, report: environment.report)
        }
        let record = DocumentRecord(
            document, owner: item.scope.owner, partner: item.scope.partner.id, etag: response.etag)
        try await environment.applier.submit(.document(record))
        guard environment.options.media, let uri = document.uri else { return [] }
        return [
            DocumentSource(
                environment: environment, owner: item.scope.owner, id: item.id, uri: uri,
                entry: EntryDigest.of(record.json), size: document.size)
        ]
    }

    package func operations(expanding input: ObjectScope) -> [FetchOperation] {
        [list(input).operation(known: nil)]
    }
    package func operations(performing item: Item) -> [FetchOperation] {
        item.isVouched ? [] : [operation(item)]
    }

    func operation(_ item: Item) -> FetchOperation {
        let router = item.scope.partner.router, owner = item.scope.owner
        let route = router.document(item.id, of: owner)
        return FetchOperation(
            route, known: item.stored?.etag,
            cache: item.isDoubted ? .noCache : .use,
            bodyLimit: FetchOperation.objectLimit, isReload: item.scope.environment.options.full)
    }

    /// Whether a document that was listed and then not found is no longer listed: that is a deletion, not a failure.
    private func isGone(_ item: Item) async throws -> Bool {
        let again = try await list(item.scope).askAgain()
        guard let again, again.answer.isComplete, !again.ids.contains(item.id) else { return false }
        try await item.scope.environment.applier.submit(.members(list: again.answer, ids: again.ids))
        return true
    }

    /// The bytes of a document that is stored and did not change, if they are wanted and not here.
    private func source(_ item: Item) -> DocumentSource? {
        let environment = item.scope.environment
        guard environment.options.media, let stored = item.stored, let uri = stored.uri,
            stored.wantsFile(environment.options)
        else { return nil }
        return DocumentSource(
            environment: environment, owner: item.scope.owner, id: item.id, uri: uri,
            entry: EntryDigest.of(stored.json), size: stored.size.map(Int.init))
    }

    private func count(_ count: Int, _ environment: SyncEnvironment) {
        environment.report.note { $0.listed[.document, default: 0] += count }
    }

    func list(_ scope: ObjectScope) -> SubList {
        let router = scope.partner.router, owner = scope.owner
        return SubList(scope: scope, name: "documents") { form in
            router.list(.documents, of: owner, form)
        }
    }
}

extension StoredDocument {
    /// Whether its bytes are to be requested, if files are fetched at all.
    func wantsFile(_ options: SyncOptions) -> Bool {
        !hasFile || options.revalidateMedia || (options.full && isUnavailable)
    }
}
