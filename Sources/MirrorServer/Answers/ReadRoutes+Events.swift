import Catalogue
import Hummingbird
import MirrorStore

// Feeds of events: the partner's feed, and the feeds of running shows.
//
// Clients may not cache the answers. If the client's cursor is the latest event, only one row is read.
extension ReadRoutes {
    /// The size of a page in bytes after which events contain no objects. Clients then request the objects.
    private static let inlineSize = 1024 * 1024

    func latestEvent(of feed: EventFeed) throws -> Response {
        try admit(feed)
        guard let event = try store.latestEvent() else { throw Refusal.notFound }
        return Reply.uncacheable(.ok, "{\"event_id\":\"\(event.text)\"}")
    }

    /// A page of a feed, read in one transaction.
    ///
    /// The change log selects the objects; their current state is sent. The state may be newer than the change; then the
    /// object is reported again by a later event.
    ///
    /// - Throws: ``Refusal`` 410 for an unknown event.
    func events(of feed: EventFeed, after text: String) throws -> Response {
        let now = try admit(feed)
        guard let latest = try store.latestEvent() else { throw Refusal.notFound }
        guard let event = EventID(text) else { throw Refusal.unknownEvent }
        guard latest != event else { return Self.page(last: event) }
        let oldest = Timestamp(
            seconds: now.seconds - Int(server.eventRetention.components.seconds), nanoseconds: now.nanoseconds
        )
        return try store.served { reader in
            switch try reader.events(after: event, of: feed, notBefore: oldest.text) {
            case .unknown: throw Refusal.unknownEvent
            case .expired:
                guard let latest = try reader.latestEvent() else { throw Refusal.notFound }
                return Self.page(last: latest, refresh: 255)
            case .window(let window):
                var list = ListWriter()
                for change in window.changes { try Self.append(change, to: &list, reader) }
                let events = String(buffer: list.part(isLast: true))
                return Self.page(last: window.last, events: events, hasMore: window.hasMore)
            }
        }
    }

    /// - Parameter events: the JSON array of events.
    private static func page(
        last: EventID, events: String = "[]", hasMore: Bool = false, refresh: Int = 0
    ) -> Response {
        Reply.uncacheable(
            .ok,
            "{\"event_id\":\"\(last.text)\",\"events\":\(events),\"more\":\(hasMore ? 1 : 0),\"refresh\":\(refresh)}"
        )
    }

    private static func append(
        _ change: ObjectChange, to list: inout ListWriter, _ reader: ServedReader
    ) throws {
        guard let object = try reader.listed(change.kind, change.id) else {
            return list.append(action: .delete, elementID: change.id, kind: change.kind.name)
        }
        list.append(
            action: change.action == .create ? .create : .update, elementID: change.id,
            kind: change.kind.name,
            etag: object.etag, lists: try reader.listETags(of: Owner(change.kind, change.id)),
            object: list.size < inlineSize ? object.body : nil)
    }

    /// Checks that a feed exists.
    ///
    /// - Returns: the current time.
    /// - Throws: ``Refusal`` 404 for the feed of a show that doesn't exist or isn't running.
    @discardableResult
    private func admit(_ feed: EventFeed) throws -> Timestamp {
        let now = try now()
        guard case .show(let id) = feed else { return now }
        guard let dates = try store.showDates(id),
            ShowPeriod(startAt: dates.start, endAt: dates.end, status: dates.status).isRunning(at: now)
        else { throw Refusal.notFound }
        return now
    }
}
