import Catalogue
import MirrorStore
import PeriodicLoops

/// The feed of one show that is running. Whether there is such a loop follows from what is stored: ``ShowRoster``.
struct ShowLoop: EventsLoop {
    private let context: FeedContext
    private let work: PageWork
    private let show: String

    let loopID: LoopID
    /// All or nothing: a show's part is small.
    let refreshableKinds: RefreshMask = []

    init(_ context: FeedContext, show: String) {
        self.context = context
        self.show = show
        loopID = LoopRecord.showID(show)
        work = PageWork(context: context, loop: loopID, kind: .show)
    }

    var latestEventID: String? {
        get async throws { try context.store.loop(loopID)?.cursor }
    }

    var storedHealth: LoopHealth { context.health(of: loopID) }

    func poll(after eventID: String) async throws -> FeedPage {
        try await context.feed(show: show).page(after: eventID)
    }

    func process(_ page: FeedPage, ticket: CommitTicket) async throws {
        try await work.apply(
            PageChanges(page.answer, madeAt: page.madeAt), asked: page.asked, cursor: page.answer.eventID,
            ticket: ticket)
    }

    /// The show once more, with its lists, after it was asked where its feed stands. Its artworks are the core loop's.
    func refresh(_ kinds: RefreshMask, answer: FeedPage?, ticket: CommitTicket) async throws {
        let latest = try await context.feed(show: show).latest()
        let event = PartnerEvent(kind: Kind.show.name, id: show, action: .update)
        let changes = PageChanges(EventsAnswer(eventID: latest, events: [event]))
        let stored = try context.store.loop(loopID)?.cursor
        try await work.apply(changes, asked: stored, cursor: latest, isRefresh: true, ticket: ticket)
    }

    func onError(_ error: any Error) async -> LoopFailure {
        switch FeedFailure(error) {
        case .passing(let failure): return failure
        case .guarded(let message): return .unprocessable(message)
        case .over(_, let message):
            let version = (try? context.store.showVersion(show)) ?? nil
            context.note(ShowRoster.over(loopID, version: version, message: message))
            return .over(message)
        case .final(let error):
            context.signals.ends(error)
            return .unreachable("\(error)")
        }
    }

    func healthChanged(to health: LoopHealth) async { context.note(health, of: loopID, .show) }
}
