import Catalogue
import MirrorHTTP

/// Asks a feed of events (`events` extension): the partner's own, or that of a show that is running.
struct EventsFeed: Sendable {
    let session: InterceptableSession
    let router: Router
    /// `nil` for the partner's.
    let show: String?

    /// The server will not answer this feed, however often it is asked.
    struct Refusal: Error, CustomStringConvertible {
        enum Kind: Sendable {
            /// It has no events at all.
            case notOffered
            /// The show has ended, or gone.
            case over
        }

        let kind: Kind
        let cause: HTTPError
        var description: String { cause.message }
    }

    init(session: InterceptableSession, router: Router, show: String? = nil) {
        self.session = session
        self.router = router
        self.show = show
    }

    /// The cursor behind everything that has happened so far.
    ///
    /// - Throws: ``Refusal``; ``HTTPError``; ``SyncError`` if that is no answer of a feed.
    func latest() async throws -> String { try await ask(latestOperation).answer.eventID }

    /// What happened after an event. An event that the server never gave, or no longer knows, means that everything has to
    /// be looked at.
    func page(after event: String) async throws -> FeedPage {
        let route = show.map { router.showEvents(show: $0, after: event) } ?? router.events(after: event)
        do {
            let (answer, madeAt) = try await ask(operation(route))
            return FeedPage(asked: event, answer: answer, madeAt: madeAt)
        } catch let error as HTTPError where error.status == 410 {
            return FeedPage(
                asked: event, answer: EventsAnswer(eventID: event, refresh: Self.everything))
        }
    }

    static let everything = 255

    var latestOperation: FetchOperation {
        operation(show.map { router.latestShowEvent(show: $0) } ?? router.latestEvent())
    }

    private func operation(_ route: Route) -> FetchOperation { FetchOperation(route, cache: .bypass) }

    private func ask(
        _ operation: FetchOperation
    ) async throws -> (answer: EventsAnswer, madeAt: Double?) {
        let fetched: Fetched
        do {
            fetched = try await session.send(operation)
        } catch let error as HTTPError {
            guard let kind = Self.refusal(error, ofShow: show != nil) else { throw error }
            throw Refusal(kind: kind, cause: error)
        }
        guard case .body(let response) = fetched else {
            throw SyncError(.badAnswer, "The server said that its feed of events is unchanged, unasked.")
        }
        do {
            return (try EventsAnswer(response.jsonObject()), fetched.madeAt)
        } catch let error as PayloadError {
            throw SyncError(.badAnswer, error.message, cause: error)
        }
    }

    /// What a refused request says of the feed; `nil` if it says nothing of it.
    static func refusal(_ error: HTTPError, ofShow isShow: Bool) -> Refusal.Kind? {
        if error.isNotOffered { return isShow ? .over : .notOffered }
        // A session that ended is no news of the show.
        return isShow && error.status == 403 && error.code != .notAuthorised ? .over : nil
    }
}
