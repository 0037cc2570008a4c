import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import Synchronization

/// Collects everything that a page of events asks for, before anything of it is stored.
///
/// What the events don't contain is requested by the sync's own steps: objects by their canonical URLs, lists
/// under them whose ETags differ or aren't known. Pictures and documents' bytes come later.
struct PageFetch: Sendable {
    private let environment: SyncEnvironment
    /// The environment's receiver.
    private let writes = PageWrites()
    /// The feed that said so: the evidence of deletions.
    private let feed: String

    struct Collected: Sendable {
        var writes: [Write] = []
        var unsettled: [String] = []
        var notFound: [Kind: [String: String]] = [:]
        var problems: [Problem] = []
        /// Fields that could not be taken; asking again would not help.
        var warnings: [Problem] = []
    }

    init(_ context: FeedContext, show: String?) {
        environment = context.environment(writes, context.setting.objectOptions)
        let router = context.router, latest = show.map { router.latestShowEvent(show: $0) }
        feed = String((latest ?? router.latestEvent()).path.dropLast("/latest".count))
    }

    /// - Throws: what may pass and concerns the whole page: ``HTTPError``, ``SyncError``, ``StoreError``;
    ///   `CancellationError`. What concerns one object is reported with the rest.
    func collect(_ changes: PageChanges) async throws -> Collected {
        guard !changes.isEmpty else { return Collected() }
        var items: [Kind: [ObjectItem]] = [:]
        for (kind, events) in changes.changed {
            let bases = try environment.store.bases(kind, events.map(\.id))
            items[kind] = events.map { item(of: kind, $0, stored: bases[ExactText($0.id)]) }
        }
        for (kind, ids) in changes.gone {
            for id in ids { writes.add(.tombstone(kind: kind, id: id, evidence: "deleted, says \(feed)")) }
        }
        if let event = changes.partner { try await fetchPartner(event) }
        let problems = try await fetch(items), state = environment.report.current
        return Collected(
            writes: writes.inOrder(madeAt: changes.madeAt, environment.kinds.listed),
            unsettled: state.unsettled, notFound: [.document: state.documentsNotFound],
            problems: changes.unread.map { Problem(what: "event", kind: nil, id: nil, message: $0) }
                + problems + state.problems.filter { !$0.isNotice },
            warnings: state.problems.filter(\.isNotice))
    }

    // MARK: - What the events bring

    private func item(of kind: Kind, _ event: PartnerEvent, stored: StoredBase?) -> ObjectItem {
        var item = ObjectItem(id: event.id, listedETag: event.etag, lists: event.lists)
        switch EventVerdict(event, stored: stored, isAnnounced: environment.hasValidators) {
        case .current: item.isVouched = true
        case .body(let body):
            var warnings: [FieldWarning] = []
            // What can't be read is requested.
            guard let object = try? kind.type.init(body, warnings: &warnings) else { break }
            environment.report.fields(warnings, of: kind.name)
            writes.add(
                .object(ObjectRecord(kind, object, etag: event.etag, partner: environment.partnerID)))
            item.isVouched = true
        case .ask(let known): item.known = known
        }
        return item
    }

    private func fetchPartner(_ event: PartnerEvent) async throws {
        guard let stored = try environment.store.storedSingle(.partner), stored.id == event.id else { return }
        // It has no mark for what came too old, so that only its ETag may tell that it is what the server said last.
        let isPlain = event.action != .partial || EntityTag.strong(of: stored.json) == stored.etag
        let base = StoredBase(json: stored.json, etag: stored.etag, isPlain: isPlain)
        let body: JSONObject, etag: String?
        switch EventVerdict(event, stored: base, isAnnounced: false) {
        case .current: return
        case .body(let object): (body, etag) = (object, event.etag)
        case .ask(let known):
            let answer = try await environment.send(
                ObjectOperation(
                    environment.router.partner(), known: known, cache: .noCache,
                    bodyLimit: ObjectOperation.bodyLimit))
            if answer.isStale(announced: event.etag, known: known) {
                environment.report.stale(.partner, event.id, "it")
                return
            }
            guard let json = answer.json else { return }
            (body, etag) = (json, answer.etag)
        }
        var warnings: [FieldWarning] = []
        guard let partner = try? Partner(body, warnings: &warnings), partner.id == stored.id else {
            environment.report.problem(
                Problem(
                    what: "object", kind: "partner", id: stored.id,
                    message: "The server's partner could not be read."))
            return
        }
        writes.add(.object(ObjectRecord(.partner, partner, etag: etag)))
    }

    // MARK: - What has to be requested

    /// - Returns: what failed.
    private func fetch(_ items: [Kind: [ObjectItem]]) async throws -> [Problem] {
        guard !items.isEmpty else { return [] }
        // No forecast is made from a page.
        environment.report.note { $0.isForetold = true }
        let outcome = try await environment.fetch(items)
        var problems: [Problem] = []
        for (failure, problem) in zip(outcome.failures, outcome.problems(environment.kinds)) {
            if RefreshOrder.mayPass(failure.error) { throw failure.error }
            // The next answer for it is no change of what is stored. If it has gone since, an event that is still to come
            // says so.
            if let kind = environment.kinds[failure.node], let id = failure.item {
                writes.add(.refetch(kind: kind, id: id))
            }
            let error = (failure.error as? LastingFailure)?.cause ?? failure.error
            if ![404, 410].contains((error as? HTTPError)?.status) { problems.append(problem) }
        }
        guard outcome.furtherFailures > 0 else { return problems }
        let message = "\(outcome.furtherFailures) more problems were not noted one by one."
        return problems + [Problem(what: "page", kind: nil, id: nil, message: message)]
    }
}

/// Keeps the writes of a page until all of it has come, in the order in which they are stored: what refers to something
/// comes after it.
final class PageWrites: WriteReceiver {
    private let writes = Mutex<[Write]>([])

    func add(_ write: Write) { writes.withLock { $0.append(write) } }

    func submit(_ write: Write) async throws { add(write) }

    /// What was kept is stored when the page is.
    func flush() async throws {}

    /// Before them, which kinds' own lists no longer say that all of their members, and what is under them, are stored.
    func inOrder(madeAt date: Double?, _ listed: [Kind]) -> [Write] {
        let writes = writes.withLock { $0 }, kinds = [Kind.partner] + listed
        let touched = Set(writes.compactMap(\.touchedKind))
        let places = Dictionary(grouping: writes) { write in
            switch write {
            case .object(let record): kinds.firstIndex(of: record.kind) ?? 0
            case .tombstone(let kind, _, _): 2 * kinds.count - (kinds.firstIndex(of: kind) ?? 0)
            default: kinds.count
            }
        }
        return listed.filter(touched.contains).map { .unclean(kind: $0, date: date) }
            + places.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}

extension Write {
    /// The kind of the objects of which it changes one, or what is under one.
    var touchedKind: Kind? {
        switch self {
        case .object(let record): record.kind
        case .document(let record): record.owner.kind
        case .showImages: .show
        case .members(let answer, _): answer.list.owner.kind
        case .tombstone(let kind, _, _), .refetch(let kind, _): kind
        case .file, .confirmed, .flag, .unclean, .tried, .mayLack, .fileRefused: nil
        }
    }
}
