import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops

/// A loop over a feed of events, of the partner or of a show. It stores cursor and health, and applies pages.
protocol FeedLoop: EventsLoop where Page == FeedPage {
    var context: FeedContext { get }
    /// The show whose feed it is; `nil` for the partner's.
    var show: String? { get }

    /// Called when the server no longer answers this feed.
    func feedEnded(_ message: String)
}

extension FeedLoop {
    var loopID: LoopID { show.map(LoopRecord.showID) ?? LoopRecord.coreID }
    var kind: LoopRecord.Kind { show == nil ? .core : .show }

    var latestEventID: String? {
        get async throws { try context.store.loop(loopID)?.cursor }
    }

    /// The health that was stored last. It is the default (well) for a loop that is guarded or over, and where none is stored
    /// or can be read.
    var storedHealth: LoopHealth {
        guard let record = try? context.store.loop(loopID), LoopHealth.State(rawValue: record.state) != nil,
            let health = record.health
        else { return LoopHealth() }
        return (try? JSONDecoder().decode(LoopHealth.self, from: Data(health.utf8))) ?? LoopHealth()
    }

    func poll(after eventID: String) async throws -> FeedPage {
        try await context.feed(show: show).page(after: eventID)
    }

    func process(_ page: FeedPage, ticket: CommitTicket) async throws {
        let changes = PageChanges(page, context.store.kinds)
        try await apply(changes, asked: page.asked, cursor: page.answer.eventID, ticket: ticket)
    }

    func onError(_ error: any Error) async -> LoopFailure {
        switch FeedFailure(error) {
        case .passing(let failure): return failure
        case .over(let message):
            feedEnded(message)
            return .over(message)
        case .guarded(let message):
            context.setting.tally.add(.failures)
            context.note(LoopRecord(id: loopID, kind: kind, state: LoopRecord.guarded, message: message))
            return .over(message)
        case .final(let error):
            context.follower?.ends(error)
            return .unreachable("\(error)")
        }
    }

    func healthChanged(to health: LoopHealth) async {
        let isWell = health.state == .well, json = isWell ? nil : (try? JSONEncoder().encode(health))
        if !isWell { context.setting.tally.add(.failures) }
        context.note(
            LoopRecord(
                id: loopID, kind: kind, state: isWell ? LoopRecord.enabled : health.state.rawValue,
                failures: max(health.failures, health.troubles), message: health.lastError,
                nextAt: health.nextTry.map { CatalogueStore.text(of: context.date($0)) },
                health: json.map { String(decoding: $0, as: UTF8.self) }))
    }
}

/// The loop over the feed of one running show; ``ShowFeed/isFollowed(at:)`` decides which shows have a loop.
struct ShowLoop: FeedLoop {
    let context: FeedContext
    let show: String?
    /// Empty: the data of one show is small, so a refresh always fetches all of it.
    let refreshableKinds: RefreshMask = []

    /// Requests the feed's latest cursor, then the show again with its lists. The core loop covers the show's artworks.
    func refresh(_ kinds: RefreshMask, answer: FeedPage?, ticket: CommitTicket) async throws {
        guard let show else { return }
        let latest = try await context.feed(show: show).latest(), stored = try await latestEventID
        let event = PartnerEvent(kind: Kind.show.name, id: show, action: .update)
        let page = FeedPage(asked: latest, answer: EventsAnswer(eventID: latest, events: [event]))
        try await apply(
            PageChanges(page, context.store.kinds), asked: stored, cursor: latest, isRefresh: true,
            ticket: ticket)
    }

    func feedEnded(_ message: String) {
        var object: JSONObject = [:]
        object["version"] = show.flatMap { try? context.store.showVersion($0) }.map(JSONValue.string)
        context.note(
            LoopRecord(
                id: loopID, kind: kind, state: LoopRecord.over, message: message,
                health: object.canonicalText))
    }
}

extension ShowFeed {
    /// Whether the show has a loop at a time. Only the stored show decides, never an answer of the server.
    ///
    /// | show | loop |
    /// |---|---|
    /// | is running (``ShowPeriod``) | yes |
    /// | is running, but the server ended its feed | no, until the show's JSON changes |
    /// | is not running, or not stored | no; the loop's stored state is removed |
    func isFollowed(at time: Timestamp) -> Bool {
        ShowPeriod(startAt: startAt, endAt: endAt, status: status).isRunning(at: time) && !isOver
    }

    /// Whether the server ended the feed when the show had its current version.
    private var isOver: Bool {
        guard state == LoopRecord.over, let health,
            case .object(let object)? = try? JSONValue(parsing: health)
        else { return false }
        return object["version"]?.stringValue == version
    }
}

/// The consequence of a loop's error for the loop and for the watch.
enum FeedFailure: Sendable {
    /// The loop tries again, as its escalation defines.
    case passing(LoopFailure)
    /// The loop ends; the watch continues.
    case over(String)
    /// The delete guard objected to a refresh.
    case guarded(String)
    /// Only a person can fix it: the watch ends.
    case final(any Error)

    init(_ error: any Error) {
        switch error {
        case let error as GuardObjection: self = .guarded(error.message)
        case let error as EventsFeed.Refusal: self = .over(error.description)
        case let error as HTTPError where error.code == .notAuthorised: self = .final(SyncError(error))
        // With `tooManyRequests` the session is still waiting as the server asked, and didn't send the request.
        case let error as HTTPError where error.isWorthRetry || error.code == .tooManyRequests:
            self = .passing(.unreachable(error.message, retryAfter: error.retryAfter))
        case let error as SyncError: self.init(error)
        case let error as StoreError where error.code == .locked || error.code == .diskFull:
            self = .passing(.unreachable(error.message))
        case let error as LastingFailure: self.init(error.cause)
        case is CancellationError:
            self = .passing(.unreachable("The request was cancelled. It is sent again later."))
        default:
            self = .passing(LoopFailure(error) ?? .unprocessable("\(error)"))
        }
    }

    private init(_ error: SyncError) {
        switch error.code {
        // A 403 concerns one resource, not the login.
        case .notAuthorised where (error.cause as? HTTPError)?.code != .forbidden, .otherOrigin:
            self = .final(error)
        case .unreachable, .serverTrouble, .unknownPartner: self = .passing(.unreachable(error.message))
        default:
            if let cause = error.cause {
                self.init(cause)
            } else {
                self = .passing(.unprocessable(error.message))
            }
        }
    }
}

/// A refresh or a page would delete more than the delete guard allows.
struct GuardObjection: Error {
    let intents: [DeleteGuard.Intent]

    /// The problem for a run that continues without these deletions.
    var problem: Problem { Problem(what: "guard", kind: nil, id: nil, message: message) }

    var message: String {
        let kinds = intents.map { "\($0.deletions) of \($0.held) \($0.noun)" }.joined(separator: ", ")
        return
            "The server's lists would remove \(kinds), which the delete guard does not allow. Check the partner's catalogue; if the deletions are right, run mirror sync with a higher --max-delete."
    }
}
