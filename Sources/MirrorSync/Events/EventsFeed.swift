import Catalogue
import MirrorHTTP
import PeriodicLoops

/// Asks a feed of events (`events` extension): the partner's own, or that of a show that is running.
struct EventsFeed: Sendable {
    let session: InterceptableSession
    let router: Router
    /// `nil` for the partner's.
    var show: String?

    /// The server will not answer this feed, however often it is asked: it has no events at all, or the show has ended or gone.
    struct Refusal: Error, CustomStringConvertible {
        let cause: HTTPError
        var description: String { cause.message }
    }

    /// The cursor behind everything that has happened so far.
    ///
    /// - Throws: ``Refusal``; ``HTTPError``; ``SyncError`` if the answer is not a feed's.
    func latest() async throws -> String {
        let route = show.map { router.latestShowEvent(show: $0) } ?? router.latestEvent()
        return try await ask(route, after: "").answer.eventID
    }

    /// What happened after an event. An event that the server never gave, or no longer knows, means that everything has to
    /// be fetched again.
    func page(after event: String) async throws -> FeedPage {
        let route = show.map { router.showEvents(show: $0, after: event) } ?? router.events(after: event)
        do {
            return try await ask(route, after: event)
        } catch let error as HTTPError where error.status == 410 {
            let everything = RefreshMask.everything.rawValue
            return FeedPage(asked: event, answer: EventsAnswer(eventID: event, refresh: everything))
        }
    }

    private func ask(_ route: Route, after event: String) async throws -> FeedPage {
        let answer: ObjectAnswer
        do {
            answer = try await session.send(ObjectOperation(route, cache: .bypass))
        } catch let error as HTTPError {
            // Whether the server refuses the feed itself: a login that has ended says nothing about the show.
            let isOver = show != nil && error.status == 403 && error.code != .notAuthorised
            throw error.isNotOffered || isOver ? Refusal(cause: error) : error
        }
        guard let json = answer.json else {
            throw SyncError(.badAnswer, "The server said that its feed of events is unchanged, unasked.")
        }
        do {
            return FeedPage(asked: event, answer: try EventsAnswer(json), madeAt: answer.madeAt)
        } catch {
            throw SyncError(.badAnswer, error.message, cause: error)
        }
    }
}

/// A page of a feed as the loops see it.
struct FeedPage: EventsPage {
    /// The cursor with which it was asked for.
    let asked: String
    let answer: EventsAnswer
    /// When the server made it, in seconds since 1970; `nil` if it didn't say.
    var madeAt: Double?

    var refresh: RefreshMask { RefreshMask(rawValue: answer.refresh) }
    var hasMore: Bool { answer.hasMore }
}
