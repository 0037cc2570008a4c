import Catalogue
import MirrorHTTP
import PeriodicLoops

/// Requests a feed of events (`events` extension): the partner's own, or that of a running show.
struct EventsFeed: Sendable {
    let session: InterceptableSession
    let router: Router
    /// The show whose feed it is; `nil` for the partner's own feed.
    var show: String?

    /// The server has no such feed, so it isn't requested again: it has no events at all, or the show ended or was deleted.
    struct Refusal: Error, CustomStringConvertible {
        let cause: HTTPError
        var description: String { cause.message }
    }

    /// Requests the cursor of the latest event.
    ///
    /// - Throws: ``Refusal``; ``HTTPError``; ``SyncError`` if the answer isn't a page of a feed.
    func latest() async throws -> String {
        let route = show.map { router.latestShowEvent(show: $0) } ?? router.latestEvent()
        return try await request(route, after: "").answer.eventID
    }

    /// Requests the events after a cursor.
    ///
    /// If the server doesn't know the cursor (410), the page asks for a refresh of all kinds.
    ///
    /// - Throws: as ``latest()``.
    func page(after event: String) async throws -> FeedPage {
        let route = show.map { router.showEvents(show: $0, after: event) } ?? router.events(after: event)
        do {
            return try await request(route, after: event)
        } catch let error as HTTPError where error.status == 410 {
            let everything = RefreshMask.everything.rawValue
            return FeedPage(asked: event, answer: EventsAnswer(eventID: event, refresh: everything))
        }
    }

    private func request(_ route: Route, after event: String) async throws -> FeedPage {
        let answer: ObjectAnswer
        do {
            answer = try await session.send(ObjectOperation(route, cache: .bypass))
        } catch let error as HTTPError {
            // A 403 for a show's feed means that the show has ended, unless the login has expired.
            let isOver = show != nil && error.status == 403 && error.code != .notAuthorised
            throw error.isNotSupported || isOver ? Refusal(cause: error) : error
        }
        guard let json = answer.json else {
            throw SyncError(
                .badAnswer,
                "The server answered 304 for its feed of events, although the request had no condition.")
        }
        do {
            return FeedPage(asked: event, answer: try EventsAnswer(json), madeAt: answer.madeAt)
        } catch {
            throw SyncError(.badAnswer, error.message, cause: error)
        }
    }
}

/// A page of a feed, in the form that the loops process.
struct FeedPage: EventsPage {
    /// The cursor that the page was requested with.
    let asked: String
    let answer: EventsAnswer
    /// When the server made the page, in seconds since 1970; `nil` if the answer has no date.
    var madeAt: Double?

    var refresh: RefreshMask { RefreshMask(rawValue: answer.refresh) }
    var hasMore: Bool { answer.hasMore }
}
