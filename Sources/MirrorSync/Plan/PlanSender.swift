import Catalogue
import MirrorHTTP
import MirrorStore

/// The first seam of a dry run: sends what decides what there is to do (the partner, its lists), and answers whatever else the steps
/// request as if nothing had changed, taking down what a sync would do.
struct PlanSender: RequestSender {
    let session: InterceptableSession
    let store: CatalogueStore
    let plan: PlanRecorder
    let originChanged: Bool
    /// Seconds, for the length of requests.
    let elapsed: @Sendable () -> Double

    func send(_ operation: FetchOperation) async throws -> Fetched {
        switch operation.subject {
        case .directory: return try await measured(operation)
        case .object(let object, let stored, let announced, let joins, let isPruned):
            let change =
                isPruned
                ? .undecided
                : PredictedChange(
                    stored: stored, listed: announced, trustsETags: !originChanged, joins: joins)
            plan.note(
                change, of: PlannedObject(owner: object, known: operation.knownETag, isPruned: isPruned))
            return Self.unchanged
        case .list(let list, let owner, let announced, let stored):
            let isBare =
                try stored?.pending == false || list == .documents || store.members(of: owner).isEmpty
            plan.note(list, of: owner, etag: announced, stored: stored, isBare: isBare)
            // An ETag of which it is known that it is an empty list's is as good as its answer.
            return plan.isEmpty(announced) ? Self.emptyList : Self.unchanged
        case .document(let owner, let stored):
            plan.note(requests: 1, confirmations: 1)
            if let stored { plan.doubts(DoubtedDocument(owner: owner, stored: stored)) }
            return Self.unchanged
        }
    }

    func send(_ operation: WriteOperation) async throws -> Response {
        plan.note(requests: 1, confirmations: 1)
        return Response(head: ResponseHead(status: 204, headers: HeaderFields()))
    }

    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws {
        plan.note(requests: writes.count + questions, pushes: writes.count)
    }

    func file(_ file: WantedFile, _ fetch: () async throws -> FileDownload.Result) async throws
        -> FileDownload.Result?
    {
        plan.note(file)
        return nil
    }

    private func measured(_ operation: FetchOperation) async throws -> Fetched {
        let began = elapsed()
        do {
            let fetched = try await session.send(operation)
            plan.tookTime(elapsed() - began, bytes: fetched.head.receivedBytes)
            if let head = fetched.headBytes { plan.sawHead(bytes: head) }
            return fetched
        } catch {
            plan.tookTime(elapsed() - began, bytes: 0)
            throw error
        }
    }

    private static let unchanged = Fetched.current(
        .notModified, ResponseHead(status: 304, headers: HeaderFields()))
    private static let emptyList = Fetched.body(
        Response(head: ResponseHead(status: 200, headers: HeaderFields()), body: Array("[]".utf8)))
}

/// The second seam of a dry run: takes down what a sync would store, and stores none of it.
struct PlanApplier: WriteReceiver {
    /// What is written to it goes to shadows of its tables.
    let store: CatalogueStore
    let plan: PlanRecorder
    let run: Int64

    func submit(_ write: Write) async throws {
        do {
            switch write {
            case .object(let record):
                if record.kind == .partner { plan.notePartner(documents: Self.documents(record)) }
                plan.found(Owner(record.kind, record.id), try store.effect(of: record))
            case .members(let list, let ids): try store.foresee(list, ids: ids, run: run)
            case .showImages(_, _, let images, let list):
                try store.foresee(list, ids: images.map(\.id), run: run)
            case .confirmed(let list):
                // What the sender answered itself is no confirmation.
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

    /// How many documents the partner says that it has.
    private static func documents(_ partner: ObjectRecord) -> Int? {
        let columns = zip(partner.kind.columns, partner.values).filter {
            ["partner_show_documents_count", "artist_documents_count"].contains($0.0.name)
        }
        let counts = columns.compactMap { _, value in
            if case .integer(let count) = value { Int(count) } else { nil }
        }
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }
}

/// Stores what steps submit.
package protocol WriteReceiver: Sendable {
    func submit(_ write: Write) async throws
    /// Stores what was submitted, at once.
    func flush() async throws
}

extension Applier: WriteReceiver {}

/// What a sync will do to an object, as far as the lists tell.
enum PredictedChange: Sendable, Hashable {
    case created, updated
    /// It is requested all the same, and confirmed.
    case unchanged
    /// Only the object itself tells.
    case undecided

    /// - Parameters:
    ///   - trustsETags: `false` if those that are stored are another server's.
    ///   - joins: whether it is stored as kept or linked, so that being listed is news.
    init(stored: ListedMember.Stored, listed: String?, trustsETags: Bool = true, joins: Bool = false) {
        switch (stored, listed) {
        case (.nothing, _): self = .created
        case (.row, _) where joins: self = .updated
        case (.row(let etag?, _), let listed?) where trustsETags:
            self = etag == listed ? .unchanged : .updated
        case (.row, _): self = .undecided
        }
    }
}

/// An object that a sync will request.
struct PlannedObject: Sendable, Hashable {
    let owner: Owner
    let known: String?
    let isPruned: Bool
}

/// A document of which only a request tells whether it changed.
struct DoubtedDocument: Sendable {
    let owner: Owner
    let stored: StoredDocument

    /// Unique among all owners.
    var name: String { "\(owner.id)/\(stored.id)" }
}
