import Catalogue
import MirrorHTTP
import MirrorStore

/// Replaces the request sender in a dry run.
///
/// It sends the requests that decide what there is to do: those for the partner and its lists. It answers every other request
/// of the steps itself, as if nothing had changed, and records what a sync would do.
struct PlanSender: RequestSender {
    let session: InterceptableSession
    let store: CatalogueStore
    let plan: PlanRecorder
    let originChanged: Bool
    /// A clock in seconds, to measure how long requests take.
    let elapsed: @Sendable () -> Double
    /// Whether the source is a described one. A new version in its list then doesn't prove that the object changed.
    var isDescribed = false
    var isDryRun: Bool { true }

    func marked(_ kind: Kind) -> Set<ExactText> { plan.current { $0.described.marked[kind] ?? [] } }

    func send<Sent: SyncOperation>(_ operation: Sent) async throws -> Sent.Output {
        try await operation.run { request, known in
            if let answer = try answer(operation) { return answer }
            return try await measured(request, known)
        }
    }

    /// The answer to an operation that isn't sent; `nil` if it has to be sent.
    private func answer(_ operation: some SyncOperation) throws -> Fetched? {
        switch operation.subject {
        case .directory: return nil
        case .object(let object, let stored, let announced, let becomesListed, let isPruned):
            var change =
                isPruned
                ? .undecided
                : PredictedChange(
                    stored: stored, listed: announced, trustsETags: !originChanged,
                    becomesListed: becomesListed)
            if isDescribed, change == .updated, !becomesListed { change = .undecided }
            plan.note(
                change,
                of: PlannedObject(
                    owner: object, known: operation.knownETag, isPruned: isPruned,
                    hasListedVersion: announced != nil,
                    isReceived: isDescribed && operation.knownETag == nil))
            return Self.unchanged
        case .list(let list, let owner, let announced, let stored):
            let hasNoMembers =
                try stored?.pending == false || list == .documents || store.members(of: owner).isEmpty
            plan.note(list, of: owner, etag: announced, stored: stored, hasNoMembers: hasNoMembers)
            return plan.isEmptyList(announced) ? Self.emptyList : Self.unchanged
        case .document(let owner, let stored):
            plan.note(requests: 1, confirmations: 1)
            plan.note { tally in
                // With since requests, a sync requests no documents of unchanged owners.
                if !tally.counts(owner) { tally.sparedBySince[owner.kind, default: 0] += 1 }
                if let stored { tally.undecidedDocuments.offer(.init(owner: owner, stored: stored)) }
            }
            return Self.unchanged
        case .write:
            plan.note(requests: 1, confirmations: 1)
            return Self.accepted
        }
    }

    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws {
        plan.note(requests: writes.count + questions, pushes: writes.count)
    }

    func file(_ download: FileDownload, isRetry: Bool) async throws -> FileDownload.Result? {
        plan.note(download)
        return nil
    }

    private func measured(_ request: Request, _ known: String?) async throws -> Fetched {
        let began = elapsed()
        var bytes = 0
        defer { plan.noteTiming(elapsed() - began, bytes: bytes) }
        let fetched = try await session.fetch(request, known: known)
        bytes = fetched.head.receivedBytes
        if let head = fetched.headBytes {
            plan.note { tally in
                tally.heads += 1
                tally.headBytes += head
            }
        }
        return fetched
    }

    private static let unchanged = Fetched.current(
        .notModified, ResponseHead(status: 304, headers: HeaderFields()))
    private static let accepted = Fetched.body(
        Response(head: ResponseHead(status: 204, headers: HeaderFields())))
    private static let emptyList = Fetched.body(
        Response(head: ResponseHead(status: 200, headers: HeaderFields()), body: Array("[]".utf8)))
}

/// Replaces the applier in a dry run: records what a sync would store, and stores nothing.
struct PlanApplier: WriteReceiver {
    /// A store whose writes go to temporary copies of its tables.
    let store: CatalogueStore
    let plan: PlanRecorder
    let run: Int64

    func submit(_ write: Write) async throws {
        do {
            switch write {
            case .object(let record):
                if record.kind == .partner {
                    plan.note { $0.statedDocuments = Self.documents(record) }
                }
                plan.found(Owner(record.kind, record.id), try store.effect(of: record))
            case .refetch(let kind, let id):
                plan.note { _ = $0.described.marked[kind, default: []].insert(ExactText(id)) }
            case .members(let list, let ids): try store.stagePlanned(list, ids: ids, run: run)
            case .showImages(_, _, let images, let list):
                try store.stagePlanned(list, ids: images.map(\.id), run: run)
            case .confirmed(let list):
                // A list that the sender answered itself was not confirmed by the server.
                guard !plan.hasAnswered(list) else { return }
                if list.name == ObjectList.artworks.rawValue { plan.willJoin(list.owner) }
                _ = try store.apply([write], run: run)
            default: return
            }
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    func flush() async throws {}

    /// The number of documents that the partner's own JSON states; `nil` if it states none.
    private static func documents(_ partner: ObjectRecord) -> Int? {
        let counts = zip(partner.kind.columns, partner.values).compactMap { column, value -> Int? in
            let isCount = ["partner_show_documents_count", "artist_documents_count"].contains(column.name)
            guard isCount, case .integer(let count) = value else { return nil }
            return Int(count)
        }
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }
}

/// Stores the writes that steps submit.
protocol WriteReceiver: Sendable {
    func submit(_ write: Write) async throws
    /// Stores writes that belong together, such as an object and its members: all of them in one transaction.
    func submit(together writes: [Write]) async throws
    /// Stores all submitted writes before it returns.
    func flush() async throws
}

extension WriteReceiver {
    /// Submits the writes one by one: for receivers that store all or nothing.
    func submit(together writes: [Write]) async throws {
        for write in writes { try await submit(write) }
    }
}

extension Applier: WriteReceiver {}
