import Catalogue
import Hummingbird
import MirrorStore

/// Answers feeds of events: the partner's, and those of shows that are running.
///
/// No such answer is kept by anybody. Whoever knows the last event is told so after reading one row of the log.
struct EventRoutes {
    let mirror: ServedMirror
    let retention: Duration

    private var store: CatalogueStore { mirror.store }

    func latest(of feed: EventFeed) throws -> Response {
        try admit(feed)
        guard let event = try store.latestEvent() else { throw Refusal.notFound }
        return Reply.unkept(.ok, "{\"event_id\":\"\(event.text)\"}")
    }

    func page(of feed: EventFeed, after text: String) throws -> Response {
        let now = try admit(feed)
        guard let latest = try store.latestEvent() else { throw Refusal.notFound }
        guard let event = EventID(text) else { throw Refusal.unknownEvent }
        guard latest != event else {
            return Reply.unkept(.ok, EventPage.json(last: event))
        }
        let oldest = Timestamp(
            seconds: now.seconds - Int(retention.components.seconds), nanoseconds: now.nanoseconds)
        let page = try store.served {
            try EventPage(reader: $0, feed: feed).json(after: event, since: oldest)
        }
        return Reply.unkept(.ok, page)
    }

    /// - Returns: the time.
    /// - Throws: ``Refusal`` 404 for the feed of a show that isn't there or isn't on.
    @discardableResult
    private func admit(_ feed: EventFeed) throws -> Timestamp {
        guard let now = Timestamp(store.timestamp()) else { throw Refusal.failed }
        guard case .show(let id) = feed else { return now }
        guard let dates = try store.showDates(id),
            ShowPeriod(startAt: dates.start, endAt: dates.end, status: dates.status).isRunning(at: now)
        else { throw Refusal.notFound }
        return now
    }
}
