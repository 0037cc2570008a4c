import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Brings together everything that a page of events asks for, before anything of it is stored.
///
/// What the events don't bring themselves is asked for by the sync's own steps: objects by their canonical URLs, lists
/// under them whose ETags differ or aren't known. Pictures and documents' bytes come later.
struct PageFetch: Sendable {
    /// Its environment's receiver is ``collector``.
    let environment: SyncEnvironment
    let collector: WriteCollector
    /// The feed that said so: the evidence of deletions.
    let feed: String

    struct Collected: Sendable {
        var writes: [Write] = []
        var unsettled: [String] = []
        var notFound: [Kind: [String: String]] = [:]
        var problems: [Problem] = []
        /// Fields that could not be taken; asking again would not mend them.
        var warnings: [Problem] = []
    }

    /// - Throws: what may pass and concerns the whole page: ``HTTPError``, ``SyncError``, ``StoreError``;
    ///   `CancellationError`. What concerns one object is reported with the rest.
    func collect(_ changes: PageChanges) async throws -> Collected {
        var writes = PageWrites(), items: [Kind: [GivenItem]] = [:]
        for (kind, events) in changes.changed {
            let bases = try environment.store.bases(kind, events.map(\.id))
            items[kind] = events.map { event in
                item(of: kind, event, stored: bases[ExactText(event.id)], &writes)
            }
        }
        for (kind, ids) in changes.gone {
            for id in ids { writes.add(.tombstone(kind: kind, id: id, evidence: "deleted, says \(feed)")) }
        }
        if let event = changes.partner { try await partner(event, &writes) }
        var collected = Collected()
        collected.problems = changes.unread.map { Problem(what: "event", kind: nil, id: nil, message: $0) }
        try await fetch(items, &collected, &writes)
        for write in collector.take() { writes.add(write) }
        collected.writes = writes.inOrder(madeAt: changes.madeAt, environment.kinds.listed)
        let state = environment.report.current
        collected.unsettled = state.unsettled
        collected.notFound = [.document: state.documentsNotFound]
        collected.problems += state.problems.filter { !$0.isNotice }
        collected.warnings = state.problems.filter(\.isNotice)
        return collected
    }

    // MARK: - What the events bring

    private func item(
        of kind: Kind, _ event: PartnerEvent, stored: StoredBase?, _ writes: inout PageWrites
    ) -> GivenItem {
        var item = GivenItem(id: event.id, listedETag: event.etag, lists: event.lists)
        switch EventVerdict(event, stored: stored, isAnnounced: environment.hasValidators) {
        case .current: item.isVouched = true
        case .body(let body):
            if let record = record(kind, body, etag: event.etag) {
                writes.add(.object(record))
                item.isVouched = true
            }
        case .ask(let known): item.known = known
        }
        return item
    }

    /// `nil` for what can't be read: then the object is asked for.
    private func record(_ kind: Kind, _ body: JSONObject, etag: String?) -> ObjectRecord? {
        var warnings: [FieldWarning] = []
        guard let object = try? kind.type.init(body, warnings: &warnings) else { return nil }
        for warning in warnings {
            environment.report.problem(
                Problem(what: "field", kind: kind.name, id: warning.id, message: warning.description))
        }
        return ObjectRecord(kind, object, etag: etag, partner: environment.partnerID)
    }

    private func partner(_ event: PartnerEvent, _ writes: inout PageWrites) async throws {
        guard let stored = try environment.store.storedSingle(.partner), stored.id == event.id else { return }
        // It has no mark for what came too old, so that only its ETag may tell that it is what the server said last.
        let isPlain = event.action != .partial || EntityTag.strong(of: stored.json) == stored.etag
        let base = StoredBase(json: stored.json, etag: stored.etag, isPlain: isPlain)
        var body: JSONObject?, etag = event.etag
        switch EventVerdict(event, stored: base, isAnnounced: false) {
        case .current: return
        case .body(let object): body = object
        case .ask(let known):
            let operation = FetchOperation(
                environment.router.partner(), known: known, cache: .noCache,
                bodyLimit: FetchOperation.objectLimit)
            let fetched = try await environment.send(operation)
            if fetched.isStale(announced: event.etag, known: known) {
                environment.report.stale(.partner, event.id, "it")
                return
            }
            guard case .body(let response) = fetched else { return }
            (body, etag) = (try response.jsonObject(), response.etag)
        }
        var warnings: [FieldWarning] = []
        guard let body, let partner = try? Partner(body, warnings: &warnings), partner.id == stored.id else {
            environment.report.problem(
                Problem(
                    what: "object", kind: "partner", id: stored.id,
                    message: "The server's partner could not be read."))
            return
        }
        writes.add(.object(ObjectRecord(.partner, partner, etag: etag)))
    }

    // MARK: - What has to be asked for

    private func fetch(
        _ items: [Kind: [GivenItem]], _ collected: inout Collected, _ writes: inout PageWrites
    ) async throws {
        guard !items.isEmpty else { return }
        // A page foretells nothing.
        environment.report.note { $0.isForetold = true }
        try judge(await environment.fetch(items), &collected, &writes)
    }

    private func judge(
        _ outcome: OperationTree.Outcome, _ collected: inout Collected, _ writes: inout PageWrites
    ) throws {
        for failure in outcome.failures {
            if RefreshOrder.mayPass(failure.error) { throw failure.error }
            guard let kind = Kinds.standard[failure.node], let id = failure.item else { continue }
            // Whatever comes next of it is no change of what is here. If it has gone since, an event that is still to come
            // says so.
            writes.add(.refetch(kind: kind, id: id))
        }
        collected.problems += outcome.problems(environment.kinds).enumerated().filter { place, _ in
            !Self.isGone(outcome.failures[place].error)
        }.map(\.element)
        guard outcome.furtherFailures > 0 else { return }
        collected.problems.append(
            Problem(
                what: "page", kind: nil, id: nil,
                message: "\(outcome.furtherFailures) more problems were not noted one by one."))
    }

    private static func isGone(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPError: error.status == 404 || error.status == 410
        case let error as LastingFailure: isGone(error.cause)
        default: false
        }
    }
}
