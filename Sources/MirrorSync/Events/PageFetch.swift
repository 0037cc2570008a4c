import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import Synchronization

/// Collects all writes that a page of events needs, before any of them is stored.
///
/// Objects that the events don't contain are requested by the steps of a sync, by their canonical URLs. So are the lists
/// under objects if their ETags differ or are unknown. Files are downloaded later.
struct PageFetch: Sendable {
    private let environment: SyncEnvironment
    /// The receiver of the environment's writes.
    private let writes = PageWrites()
    /// The URL of the feed, which is stored as the evidence of deletions.
    private let feed: String

    /// The result: the page's writes, and what could not be fetched.
    struct Collected: Sendable {
        var writes: [Write] = []
        var unsettled: [String] = []
        var notFound: [Kind: [String: String]] = [:]
        var problems: [Problem] = []
        /// Fields that could not be read; another request would not help.
        var warnings: [Problem] = []
    }

    init(_ context: FeedContext, show: String?) {
        environment = context.environment(writes, context.setting.objectOptions)
        let router = context.router, latest = show.map { router.latestShowEvent(show: $0) }
        feed = String((latest ?? router.latestEvent()).path.dropLast("/latest".count))
    }

    /// Requests what is missing and returns all writes of the page. Problems with one object are part of the result.
    ///
    /// - Throws: errors that may be temporary or concern the whole page: ``HTTPError``, ``SyncError``, ``StoreError``;
    ///   `CancellationError`.
    func collect(_ changes: PageChanges) async throws -> Collected {
        guard !changes.isEmpty else { return Collected() }
        var items: [Kind: [ObjectItem]] = [:]
        for (kind, events) in changes.changed {
            let bases = try environment.store.bases(kind, events.map(\.id))
            items[kind] = events.map { item(of: kind, $0, stored: bases[ExactText($0.id)]) }
        }
        for (kind, ids) in changes.deleted {
            for id in ids {
                writes.add(.tombstone(kind: kind, id: id, evidence: .deleted(accordingTo: feed)))
            }
        }
        if let event = changes.partner { try await fetchPartner(event) }
        let problems = try await fetch(items), state = environment.report.current
        return Collected(
            writes: writes.inOrder(madeAt: changes.madeAt, environment.kinds.listed),
            unsettled: state.unsettled, notFound: [.document: state.documentsNotFound],
            problems: changes.unreadable.map { Problem(what: "event", kind: nil, id: nil, message: $0) }
                + problems + state.problems.filter { !$0.isNotice },
            warnings: state.problems.filter(\.isNotice))
    }

    // MARK: - Objects in events

    private func item(of kind: Kind, _ event: PartnerEvent, stored: StoredBase?) -> ObjectItem {
        var item = ObjectItem(id: event.id, listedETag: event.etag, lists: event.lists)
        switch EventVerdict(event, stored: stored, hasListETags: environment.hasValidators) {
        case .current: item.isVouched = true
        case .body(let body):
            var warnings: [FieldWarning] = []
            // An object that can't be read is requested.
            guard let object = try? kind.type.init(body, warnings: &warnings) else { break }
            environment.report.fields(warnings, of: kind.name)
            writes.add(
                .object(ObjectRecord(kind, object, etag: event.etag, partner: environment.partnerID)))
            item.isVouched = true
        case .request(let known): item.known = known
        }
        return item
    }

    private func fetchPartner(_ event: PartnerEvent) async throws {
        guard let stored = try environment.store.storedSingle(.partner), stored.id == event.id else { return }
        // The partner's row has no mark for a stale version. Only its ETag shows that it is the server's latest.
        let isUnmodified = event.action != .partial || EntityTag.strong(of: stored.json) == stored.etag
        let base = StoredBase(json: stored.json, etag: stored.etag, isUnmodified: isUnmodified)
        let body: JSONObject, etag: String?
        switch EventVerdict(event, stored: base, hasListETags: false) {
        case .current: return
        case .body(let object): (body, etag) = (object, event.etag)
        case .request(let known):
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

    // MARK: - Requests

    /// Requests objects and the lists under them.
    ///
    /// - Returns: the problems with single objects.
    private func fetch(_ items: [Kind: [ObjectItem]]) async throws -> [Problem] {
        guard !items.isEmpty else { return [] }
        // A page needs no estimate of its requests.
        environment.report.note { $0.hasForecast = true }
        let outcome = try await environment.fetch(items)
        var problems: [Problem] = []
        for (failure, problem) in zip(outcome.failures, outcome.problems(environment.kinds)) {
            if RefreshOrder.isTemporary(failure.error) { throw failure.error }
            // The object is marked for refetching. If it was deleted in the meantime (404, 410), a later event reports that.
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

/// Collects the writes of a page until all of it is fetched, and sorts them: a row is stored after the rows it refers to.
final class PageWrites: WriteReceiver {
    private let writes = Mutex<[Write]>([])

    func add(_ write: Write) { writes.withLock { $0.append(write) } }

    func submit(_ write: Write) async throws { add(write) }

    /// Does nothing: the writes are stored together with the page.
    func flush() async throws {}

    /// The writes in the order in which they are stored.
    ///
    /// They are preceded by one write for each changed kind, which makes the next sync walk the kind's own list even if the
    /// list is unchanged.
    func inOrder(madeAt date: Double?, _ listed: [Kind]) -> [Write] {
        let writes = writes.withLock { $0 }, kinds = [Kind.partner] + listed
        let touched = Set(writes.compactMap(\.changedKind))
        let places = Dictionary(grouping: writes) { write in
            switch write {
            case .object(let record): kinds.firstIndex(of: record.kind) ?? 0
            case .tombstone(let kind, _, _): 2 * kinds.count - (kinds.firstIndex(of: kind) ?? 0)
            default: kinds.count
            }
        }
        return listed.filter(touched.contains).map { .markListNotClean(kind: $0, date: date) }
            + places.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}

extension Write {
    /// The kind of the object that the write changes, or under which it changes something.
    var changedKind: Kind? {
        switch self {
        case .object(let record): record.kind
        case .document(let record): record.owner.kind
        case .showImages: .show
        case .members(let answer, _): answer.list.owner.kind
        case .tombstone(let kind, _, _), .refetch(let kind, _): kind
        case .file, .confirmed, .flag, .markListNotClean, .tried, .mayLack, .fileRefused: nil
        }
    }
}
