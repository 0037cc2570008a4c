import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import Synchronization

/// Collects a run's results while it runs. It can be read and changed from any task at any moment.
final class SyncReport: Sendable {
    struct State: Sendable {
        /// Members of lists, by kind.
        var listed: [Kind: Int] = [:]
        /// Objects that a list vouched for, so that no request was sent.
        var vouched = 0
        /// Kinds whose own list the tree walked.
        var walked: Set<Kind> = []
        /// Kinds whose own list was complete in this run and not older than the last applied one.
        var complete: Set<Kind> = []
        /// Kinds of a described source whose list was proven to be complete in this run.
        var proven: Set<Kind> = []
        /// The number of pictures on each host that the description of a source doesn't list.
        var refusedPictures: [String: Int] = [:]
        /// The number of pictures of a described source whose addresses aren't HTTP or HTTPS URLs.
        var unusablePictures = 0
        /// Problems with lists of described sources that were reported.
        var reportedLists: Set<Problem> = []
        /// Objects that a complete list of a described source reported as deleted.
        var signalled: [Kind: Set<ExactText>] = [:]
        /// Kinds of a described source of whose list an earlier run has read the beginning.
        var continued: Set<Kind> = []
        /// Kinds of which nothing failed, including everything under their objects.
        var kindsWithoutFailures: Set<Kind> = []
        /// When the server made the kinds' own lists, in seconds since 1970.
        var listDates: [Kind: Double] = [:]
        /// The moment after the last change that the list includes, if the server states it.
        var changesEnd: [Kind: Timestamp] = [:]
        /// The seconds by which the server's clock is ahead of this one; `nil` before it was measured.
        var clockOffset: Double?
        /// Whether stored dates ahead of the server's clock were removed.
        var isClockSettled = false
        /// URLs of partner lists that ended without a failed member or missing picture.
        var clean: [String] = []
        /// Kinds whose list was clean before and no longer is, because of an answer under it.
        var unclean: Set<Kind> = []
        /// URLs of lists of documents with a failed document: they must be requested again even if their ETag is unchanged.
        var unsettled: [String] = []
        /// Albums that this run created, or whose artworks it changed, on the server: their lists there have changed.
        var pushed: Set<String> = []
        /// Albums that this run deleted on the server, or that it wanted to edit and the server no longer has.
        var gone: Set<ExactText> = []
        /// Listed objects for which the server then answered 404.
        var notFound: [Kind: Set<ExactText>] = [:]
        /// Objects that were found by their canonical URL although no list contains them, by kind.
        var linked: [Kind: Int] = [:]
        /// The number of objects that are referred to, and that the server doesn't have or doesn't show.
        var inaccessible = 0
        /// Listed documents for which the server then answered 404: the URL of that answer, by `owner's kind/owner's id/id`.
        var documentsNotFound: [String: String] = [:]
        /// Features that the server doesn't offer, each noted once.
        var notSupported: Set<String> = []
        /// Whether the list of locations lacks the private ones, although it had them before.
        var lacksPrivate = false
        /// The number of objects that could not be stored, by kind.
        var refused: [String: Int] = [:]
        /// Kinds with an answer that is older than the stored version, or than the version that the server announced: objects,
        /// or lists under them.
        var outdated: Set<Kind> = []
        /// When the server made the oldest cached answer that nothing proved to be current, by kind; seconds since 1970.
        var oldest: [Kind: Double] = [:]
        /// URLs of lists that were reported because some of their elements have no usable id.
        var incompleteLists: Set<String> = []
        /// The server's extensions of the plain API.
        var extensions: Set<String> = []
        /// The extensions that the server listed in this run; `nil` before it did.
        var offered: Set<String>?
        /// Problems that are no failure of an item.
        var noted = ProblemList()
        var images = FileCounts()
        /// Deep-zoom tiles, which are counted separately from their pictures.
        var tiles = FileCounts()
        /// Pictures whose fields describe no usable tiles, or too many: their tiles are not downloaded.
        var untiled = 0
        /// Bytes of all pictures and documents, as stated by the server (`/size`).
        var statedSize: Int64?
        /// The sizes of stored files; `nil` until they are read.
        var history: SizeHistory?
        /// List members to request, by kind. A kind is added when its list is received.
        var expected: [Kind: ExpectedMembers] = [:]
        /// Bytes of those lists.
        var listBytes = 0
        /// Whether the run's duration was estimated, or needs no estimate.
        var hasForecast = false
        /// The progress of loading a snapshot; `nil` if none is being loaded.
        var loading: SyncMonitor.Loading?
        var forecast: RunEstimate?

        var problems: [Problem] { noted.problems }
        var furtherProblems: Int { noted.further }
    }

    struct FileCounts: Sendable {
        var wanted = 0, fetched = 0, unchanged = 0, missing = 0
        /// Files fetched by earlier walks of the tree in this run; a later walk finds them unchanged.
        var fetchedBefore = 0
    }

    private let state = Mutex(State())
    /// Separate from the state, so that setting it never waits for another task.
    private let latest = Mutex<SyncMonitor.Subject?>(nil)

    /// The number of successive requests that the server blocked.
    private let blocked = Atomic(0)
    /// The number of successive blocked requests after which the run pauses.
    private static let maximumBlocks = 20

    /// Whether the run estimates its own duration. A dry run doesn't: it estimates that of a sync.
    let forecasts: Bool

    init(forecasts: Bool = true) { self.forecasts = forecasts }

    var current: State { state.withLock { $0 } }

    func note<Result: Sendable>(_ change: (inout sending State) -> sending Result) -> Result {
        state.withLock { change(&$0) }
    }

    /// The object or file that was started last.
    var currentSubject: SyncMonitor.Subject? { latest.withLock { $0 } }

    /// Notes the object or file that is requested now.
    func noteStarted(_ kind: String, _ id: String) {
        latest.withLock { $0 = SyncMonitor.Subject(kind: kind, id: id) }
    }

    /// Adds a problem with a list, unless the run has reported it before: a failed list is requested again at the end of the tree.
    func problemOnce(_ problem: Problem) {
        note { state in
            guard state.reportedLists.insert(problem).inserted else { return }
            state.noted.add(problem)
        }
    }

    /// Notes that the server answered a request of the run.
    func noteAnswered() {
        guard blocked.load(ordering: .relaxed) > 0 else { return }
        blocked.store(0, ordering: .relaxed)
    }

    /// Notes that the server blocked a request of the run.
    ///
    /// - Returns: whether the run pauses, because too many successive requests were blocked.
    func isBlockedAgain() -> Bool {
        blocked.add(1, ordering: .relaxed).newValue >= Self.maximumBlocks
    }

    /// Adds a problem; problems beyond ``ProblemList/limit`` are only counted.
    func problem(_ problem: Problem) { note { $0.noted.add(problem) } }

    /// Notes that the server doesn't offer a feature.
    ///
    /// - Returns: whether it was not noted before.
    func isNotSupported(_ what: String) -> Bool {
        state.withLock { $0.notSupported.insert(what).inserted }
    }

    /// Reports a list that is older than the last applied one.
    func outdated(_ write: Write) {
        let (kind, id) = write.subject
        if let kind = write.changedKind { state.withLock { _ = $0.outdated.insert(kind) } }
        problem(
            Problem(
                what: "older list", kind: kind, id: id,
                message: "This list is older than the one last applied, so it was not applied."))
    }

    /// Reports fields that could not be read.
    func fields(_ warnings: [FieldWarning], of kind: String) {
        for warning in warnings {
            problem(Problem(what: Problem.field, kind: kind, id: warning.id, message: warning.description))
        }
    }

    /// Removes the tree's results, so that it can run again. Reported problems stay.
    func startOver() {
        note { state in
            state.walked = []
            state.complete = []
            state.proven = []
            state.signalled = [:]
            state.continued = []
            state.kindsWithoutFailures = []
            state.clean = []
            state.unsettled = []
            state.notFound = [:]
            state.documentsNotFound = [:]
            state.refused = [:]
            state.outdated = []
            state.oldest = [:]
            state.listed[.document] = nil
            state.images = FileCounts(fetchedBefore: state.images.fetchedBefore + state.images.fetched)
            state.tiles = FileCounts(fetchedBefore: state.tiles.fetchedBefore + state.tiles.fetched)
            state.expected = [:]
        }
    }

    /// Reports a list with elements that have no usable id, once a run. Without such elements it does nothing.
    func incomplete(_ list: ListName, _ unusable: UnusableElements) {
        guard !unusable.isEmpty, state.withLock({ $0.incompleteLists.insert(list.url).inserted }) else {
            return
        }
        problem(ListProblem.incomplete(list, unusable))
    }

    /// Reports an object that could not be stored.
    func refused(_ write: Write, _ error: StoreError) {
        let (kind, id) = write.subject
        state.withLock { $0.refused[kind, default: 0] += 1 }
        problem(Problem(what: "not stored", kind: kind, id: id, message: error.cause ?? error.message))
    }
}

extension SyncReport.State {
    /// The canonical URLs that answered 404, by kind and id, as evidence for deletions.
    func notFoundURLs(_ router: Router) -> [Kind: [String: String]] {
        var urls: [Kind: [String: String]] = [:]
        for (kind, ids) in notFound {
            for id in ids { urls[kind, default: [:]][id.text] = router.object(kind, id.text).canonicalURL }
        }
        if !documentsNotFound.isEmpty { urls[.document] = documentsNotFound }
        return urls
    }
}

extension Write {
    /// The object or list that is written, for messages.
    var subject: (kind: String, id: String) {
        switch self {
        case .object(let record): (record.kind.name, record.id)
        case .document(let record): ("document", record.id)
        case .showImages(let show, _, _, _): ("show", show)
        case .file(let record): (record.use.kind, record.use.id)
        case .members(let list, _): ("list", list.list.url)
        case .confirmed(let list): ("list", list.url)
        case .flag(let key, _): ("partner_flag", key)
        case .tombstone(let kind, let id, _): (kind.name, id)
        case .markListNotClean(let kind, _), .mayLack(let kind, _): ("list", kind.plural)
        case .fileRefused(let use): (use.kind, use.id)
        case .tried(let kind, let id, _), .refetch(let kind, let id): (kind.name, id)
        }
    }
}
