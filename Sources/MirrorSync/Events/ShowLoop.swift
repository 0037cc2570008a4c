import Catalogue
import MirrorStore
import PeriodicLoops

/// The feed of one show that is running; ``ShowFeed/isFollowed(at:)`` says which shows have one.
struct ShowLoop: FeedLoop {
    let pages: PageApplier
    /// All or nothing: a show's part is small.
    let refreshableKinds: RefreshMask = []
    private let show: String

    init(_ context: FeedContext, show: String) {
        self.show = show
        pages = PageApplier(context, show: show)
    }

    func process(_ page: FeedPage, ticket: CommitTicket) async throws {
        try await pages.apply(
            PageChanges(page, context.store.kinds), asked: page.asked, cursor: page.answer.eventID,
            ticket: ticket)
    }

    /// Fetches the show again, with its lists, after asking where its feed stands. Its artworks are the core loop's.
    func refresh(_ kinds: RefreshMask, answer: FeedPage?, ticket: CommitTicket) async throws {
        let latest = try await context.feed(show: show).latest()
        let stored = try context.store.loop(loopID)?.cursor
        let event = PartnerEvent(kind: Kind.show.name, id: show, action: .update)
        let page = FeedPage(asked: latest, answer: EventsAnswer(eventID: latest, events: [event]))
        try await pages.apply(
            PageChanges(page, context.store.kinds), asked: stored, cursor: latest, isRefresh: true,
            ticket: ticket)
    }

    func feedEnded(_ message: String) {
        let version = (try? context.store.showVersion(show)) ?? nil
        context.note(ShowFeed.over(loopID, version: version, message: message))
    }
}

extension ShowFeed {
    /// Whether the show has a loop of its own, as what is stored says; never an answer directly.
    ///
    /// | show | loop |
    /// |---|---|
    /// | is running (``ShowPeriod``) | is asked |
    /// | is running, but its feed was over | isn't, until the show's JSON changes |
    /// | is not running, or not stored | isn't; what was known of it is forgotten |
    func isFollowed(at time: Timestamp) -> Bool {
        ShowPeriod(startAt: startAt, endAt: endAt, status: status).isRunning(at: time) && !isOver
    }

    private var isOver: Bool {
        guard state == LoopRecord.over, let health,
            case .object(let object)? = try? JSONValue(parsing: health)
        else { return false }
        return object["version"]?.stringValue == version
    }

    /// What is stored of a feed that is over, for this version of its show.
    static func over(_ id: String, version: String?, message: String) -> LoopRecord {
        var object: JSONObject = [:]
        object["version"] = version.map(JSONValue.string)
        return LoopRecord(
            id: id, kind: .show, state: LoopRecord.over, message: message, health: object.canonicalText)
    }
}
