import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import Synchronization

/// What a run has seen so far; exact at any moment, from any task.
final class SyncReport: Sendable {
    struct State: Sendable {
        /// Members of lists, by kind.
        var listed: [Kind: Int] = [:]
        /// Objects that a list vouched for, so that no request was made.
        var vouched = 0
        /// Kinds whose own list the tree went over.
        var walked: Set<Kind> = []
        /// Kinds whose own list was complete in this run and not older than the one last applied.
        var complete: Set<Kind> = []
        /// Kinds of which, and of everything under them, nothing failed.
        var whole: Set<Kind> = []
        /// When the server made the kinds' own lists, seconds since 1970.
        var listDates: [Kind: Double] = [:]
        /// The moment behind the last change that the list has, where the server says so.
        var changesEnd: [Kind: Timestamp] = [:]
        /// How far the server's clock is ahead of this one, in seconds; `nil` before it was measured.
        var clockOffset: Double?
        /// Whether dates that lie ahead of the server's clock were forgotten.
        var isClockSettled = false
        /// URLs of partner lists whose scope ended without a failed member or missing picture.
        var clean: [String] = []
        /// Kinds whose list, though clean before, no longer is because of what came under it.
        var unclean: Set<Kind> = []
        /// URLs of lists of documents of which one failed: they must be asked again, whatever their ETag.
        var unsettled: [String] = []
        /// Albums that were made, or got or lost artworks, on the server by this run: their lists there are others now.
        var pushed: Set<String> = []
        /// Albums that this run deleted on the server, or that it wanted to edit and the server then said it hasn't.
        var gone: Set<ExactText> = []
        /// Listed objects that the server then said it hasn't.
        var notFound: [Kind: Set<ExactText>] = [:]
        /// Objects that were found by their canonical URL though no list names them, by kind.
        var linked: [Kind: Int] = [:]
        /// Objects that are referred to and that the server then said it hasn't, or doesn't show.
        var inaccessible = 0
        /// Listed documents that the server then said it hasn't: the URL that answered so, by `owner's kind/owner's id/id`.
        var documentsNotFound: [String: String] = [:]
        /// What the server doesn't offer, each noted once.
        var notOffered: Set<String> = []
        /// Whether the list of locations came without those that are private, though it had them before.
        var lacksPrivate = false
        /// Objects that could not be stored, by kind.
        var refused: [String: Int] = [:]
        /// Kinds of which something came that is older than what is here, or than what the server said that it has: objects,
        /// or lists under them.
        var outdated: Set<Kind> = []
        /// When the server made the oldest answer, about something of a kind, that a cache had kept and that nothing proved to be
        /// the latest; seconds since 1970.
        var oldest: [Kind: Double] = [:]
        /// URLs of lists of which some elements have no usable id, as far as that was reported.
        var incompleteLists: Set<String> = []
        /// What the server offers beyond part 1.
        var extensions: Set<String> = []
        /// What it said of that in this run; `nil` as long as it did not.
        var offered: Set<String>?
        /// Problems that are no failure of an item.
        var noted = ProblemList()
        var images = FileCounts()
        /// Deep-zoom tiles, which count apart from the pictures that they are of.
        var tiles = FileCounts()
        /// Pictures that tell of tiles and get none: too many, or fields from which there are none.
        var untiled = 0
        /// Bytes of all pictures and documents as the server states them (`/size`).
        var statedSize: Int64?
        /// What is known of the sizes of files; `nil` until it was looked up.
        var history: SizeHistory?
        /// Members of lists that will be asked for, by kind; a kind comes in when its list has.
        var expected: [Kind: ExpectedMembers] = [:]
        /// Bytes of those lists.
        var listBytes = 0
        var isForetold = false
        /// How far a snapshot is taken in, in lines; `nil` unless one is.
        var loading: SyncMonitor.Loading?
        var forecast: RunEstimate?

        var problems: [Problem] { noted.problems }
        var furtherProblems: Int { noted.further }
    }

    struct FileCounts: Sendable {
        var wanted = 0, fetched = 0, unchanged = 0, missing = 0
        /// Fetched before the tree was walked again, which finds them unchanged.
        var fetchedBefore = 0
    }

    private let state = Mutex(State())
    /// Apart from the rest, so that noting it waits for nobody.
    private let latest = Mutex<SyncMonitor.Subject?>(nil)

    /// Whether the run is to forecast its own time while it goes on; a dry run ends with a forecast of another.
    let forecasts: Bool

    init(forecasts: Bool = true) { self.forecasts = forecasts }

    var current: State { state.withLock { $0 } }

    func note<Result: Sendable>(_ change: (inout sending State) -> sending Result) -> Result {
        state.withLock { change(&$0) }
    }

    /// What was begun last.
    var underWay: SyncMonitor.Subject? { latest.withLock { $0 } }

    /// Notes what is asked for now: one assignment.
    func begins(_ kind: String, _ id: String) {
        latest.withLock { $0 = SyncMonitor.Subject(kind: kind, id: id) }
    }

    /// Notes a problem; beyond ``ProblemList/limit`` they are only counted.
    func problem(_ problem: Problem) { note { $0.noted.add(problem) } }

    /// Notes that the server has no such thing.
    ///
    /// - Returns: whether that is news.
    func isNotOffered(_ what: String) -> Bool {
        state.withLock { $0.notOffered.insert(what).inserted }
    }

    /// Notes a list that was older than the one last applied.
    func outdated(_ write: Write) {
        let (kind, id) = write.subject
        if let kind = write.touchedKind { state.withLock { _ = $0.outdated.insert(kind) } }
        problem(
            Problem(
                what: "older list", kind: kind, id: id,
                message: "This list was older than the one last applied, so it was left as it is."))
    }

    /// Reports fields that could not be taken.
    func fields(_ warnings: [FieldWarning], of kind: String) {
        for warning in warnings {
            problem(Problem(what: Problem.field, kind: kind, id: warning.id, message: warning.description))
        }
    }

    /// Forgets what the tree saw, so that it can run again; what was reported stays reported.
    func startOver() {
        note { state in
            state.walked = []
            state.complete = []
            state.whole = []
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

    /// Notes a list of which some elements have no usable id, if there are any; each list once a run.
    func incomplete(_ list: ListName, _ unusable: UnusableElements) {
        guard !unusable.isEmpty, state.withLock({ $0.incompleteLists.insert(list.url).inserted }) else {
            return
        }
        problem(ListProblem.incomplete(list, unusable))
    }

    /// Notes an object that could not be stored: it failed.
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
    /// What it is about, for messages.
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
        case .unclean(let kind, _), .mayLack(let kind, _): ("list", kind.plural)
        case .fileRefused(let use): (use.kind, use.id)
        case .tried(let kind, let id), .refetch(let kind, let id): (kind.name, id)
        }
    }
}
