import Catalogue
import Hummingbird
import MirrorStore

/// A page of a feed of events, all of it of one instant.
///
/// Which objects are told of says the log; what is told of them is how they are now, which may be newer than the change
/// that they are here for. They are told of again then, which harms nobody.
struct EventPage {
    let reader: ServedReader
    let feed: EventFeed

    /// When so many bytes are written, objects that follow have to be asked for.
    private static let inlineSize = 1024 * 1024

    /// - Parameter oldest: before it, nothing is told.
    /// - Throws: ``Refusal`` 410 for an event that this log never had.
    func json(after event: EventID, since oldest: Timestamp) throws -> String {
        switch try reader.events(after: event, of: feed, notBefore: oldest.text) {
        case .unknown: throw Refusal.unknownEvent
        case .expired:
            guard let latest = try reader.latestEvent() else { throw Refusal.notFound }
            return Self.json(last: latest, refresh: 255)
        case .window(let window):
            var list = ListWriter()
            for change in window.changes { try append(change, to: &list) }
            let events = String(buffer: list.part(isLast: true))
            return Self.json(last: window.last, events: events, hasMore: window.hasMore)
        }
    }

    /// - Parameter events: JSON.
    static func json(
        last: EventID, events: String = "[]", hasMore: Bool = false, refresh: Int = 0
    ) -> String {
        "{\"event_id\":\"\(last.text)\",\"events\":\(events),\"more\":\(hasMore ? 1 : 0),\"refresh\":\(refresh)}"
    }

    private func append(_ change: ObjectChange, to list: inout ListWriter) throws {
        guard let object = try reader.listed(change.kind, change.id) else {
            return list.append(
                action: PartnerEvent.Action.delete.rawValue, kind: change.kind.name, id: change.id)
        }
        let action: PartnerEvent.Action = change.action == .create ? .create : .update
        list.append(
            action: action.rawValue, kind: change.kind.name, id: change.id, etag: object.etag,
            lists: try ObjectList.etags(of: Owner(change.kind, change.id), in: reader),
            object: list.size < Self.inlineSize ? object.body : nil)
    }
}
