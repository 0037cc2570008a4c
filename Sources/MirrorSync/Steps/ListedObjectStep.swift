import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

extension ObjectStep {
    package func identity(of item: ListedItem) -> String { item.id }
    package func listIdentity(of input: PartnerScope) -> String { listing(input).name.url }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<ListedItem>
    {
        if let given = GivenListing(scope: input, kind: kind) { return try await given.expand() }
        input.environment.report.note { _ = $0.walked.insert(kind) }
        return try await listing(input).expand()
    }

    package func perform(_ item: ListedItem, in context: StepContext) async throws -> [Output] {
        let environment = item.scope.environment
        if item.isVouched { return try unchanged(item) }
        if let plan = environment.plan {
            plan.will(item.prospect, kind, item.id)
            guard item.isSampled else { return try planned(item) }
        }
        environment.report.begins(kind.name, item.id)
        let fetched: Fetched
        do {
            let operation = operation(item)
            fetched = try await environment.objects.counting(operation.route, isRetry: context.isRetry) {
                try await environment.send(operation)
            }
        } catch let error as HTTPError where item.origin != .listed && error.isInaccessible {
            try await inaccessible(item, status: error.status ?? 404)
            return []
        } catch let error as HTTPError where error.code == .notFound {
            environment.report.note { _ = $0.notFound[kind, default: []].insert(ExactText(item.id)) }
            throw LastingFailure(cause: error)
        }
        environment.plan?.sampled(bytes: fetched.head.receivedBytes)
        if environment.plan == nil {
            try await item.scope.weigh(
                fetched, announced: item.announcedETag, known: item.known, of: kind, item.id, "it")
        }
        guard case .body(let response) = fetched else {
            environment.plan?.found(kind, item.id, .unchanged)
            if item.isDoubtful(fetched) { try await doubt(item) }
            if item.isPruned { return [] }
            if item.origin.isLinked { try await environment.applier.submit(.tried(kind: kind, id: item.id)) }
            return try unchanged(item)
        }
        // What was pruned is left alone in that version, however it was asked for.
        if item.isPruned, let etag = response.etag, etag == item.known {
            environment.plan?.found(kind, item.id, .unchanged)
            return []
        }
        let body = try environment.reading(operation(item)) {
            try kind.type.read(response, id: item.id, report: environment.report)
        }
        var record = ObjectRecord(kind, body, etag: response.etag, partner: item.scope.id)
        if item.origin.isLinked {
            record.isLinked = true
            environment.report.note { $0.linked[kind, default: 0] += 1 }
        }
        try await environment.applier.submit(.object(record))
        if record.isLinked { try await environment.applier.submit(.tried(kind: kind, id: item.id)) }
        if item.isDoubtful(fetched) { try await doubt(item) }
        return try outputs(body, item)
    }

    /// What is stored may be an earlier version than the server has: nothing is to be merged into it, and it is asked for
    /// again.
    private func doubt(_ item: ListedItem) async throws {
        let applier = item.scope.environment.applier
        try await applier.submit(.refetch(kind: kind, id: item.id))
        if item.origin != .listed { try await applier.submit(.tried(kind: kind, id: item.id)) }
    }

    /// The server doesn't have, or doesn't show, what no list of it names: it is asked for again another day.
    private func inaccessible(_ item: ListedItem, status: Int) async throws {
        let environment = item.scope.environment
        environment.report.note { $0.inaccessible[kind, default: 0] += 1 }
        if item.origin == .unlisted(.linked) {
            let evidence = "\(status) from \(operation(item).route.canonicalURL)"
            try await environment.applier.submit(.tombstone(kind: kind, id: item.id, evidence: evidence))
        }
        try await environment.applier.submit(.tried(kind: kind, id: item.id))
    }

    /// What is looked at under an object that a plan doesn't ask for: of a new artwork nothing is known.
    private func planned(_ item: ListedItem) throws -> [Output] {
        kind == .artwork && item.prospect == .created ? [] : try unchanged(item)
    }

    package func finished(_ input: PartnerScope, _ scope: ScopeOutcome, in context: StepContext) async throws
    {
        guard scope.subtreeComplete else { return }
        // Of what was given nobody said that it is all there is.
        let url = input.given(kind) == nil ? listing(input).name.url : nil
        input.environment.report.note { state in
            if let url { state.clean.append(url) }
            state.whole.insert(kind)
        }
    }

    package func operations(expanding input: PartnerScope) -> [FetchOperation] {
        input.given(kind) == nil ? [listing(input).operation(known: nil)] : []
    }
    package func operations(performing item: ListedItem) -> [FetchOperation] {
        item.isVouched ? [] : [operation(item)]
    }

    private func operation(_ item: ListedItem) -> FetchOperation {
        FetchOperation(
            item.scope.router.object(kind, item.id), known: item.known, cache: item.cacheUse,
            bodyLimit: FetchOperation.objectLimit, isReload: item.scope.environment.options.full)
    }

    private func listing(_ scope: PartnerScope) -> KindListing { KindListing(scope: scope, kind: kind) }
}

extension HTTPError {
    /// Whether the server says of an object that it isn't there, or not for this login.
    var isInaccessible: Bool { [403, 404, 410].contains(status) }
}

extension Payload {
    /// Reads an object from an answer, and notes the fields that could not be taken.
    ///
    /// - Throws: ``HTTPError`` for what is no JSON object; ``LastingFailure`` for an object under another id.
    static func read(_ response: Response, id: String, report: SyncReport) throws -> Self {
        var warnings: [FieldWarning] = []
        let body: Self
        do {
            body = try Self(response.jsonObject(), warnings: &warnings)
        } catch let error as PayloadError {
            throw LastingFailure(cause: error)
        }
        guard body.id == id else {
            throw LastingFailure(
                cause: SyncError(
                    .badAnswer, "The server answered with another \(Self.kind) than was asked for."))
        }
        for warning in warnings {
            report.problem(
                Problem(what: "field", kind: Self.kind, id: warning.id, message: warning.description))
        }
        return body
    }
}
