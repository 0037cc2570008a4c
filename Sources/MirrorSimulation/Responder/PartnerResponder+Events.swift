import Catalogue
import MirrorStore

/// The feeds of events: one of the partner, and one of each running show.
extension PartnerResponder {
    private static let pageSize = 3

    /// Answers a request for a feed.
    ///
    /// - Returns: `nil` if the path isn't the path of a feed.
    func events(_ path: String) -> SimulatedPartner.Answer? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count >= 4, parts[parts.count - 2] == "events" else { return nil }
        guard traits.has("events") else { return Self.notFound }
        var show: String?
        if parts.count == 6, parts[2] == "show" {
            let id = PercentEncoding.decode(parts[3]) ?? ""
            guard traits.hasShowFeeds, catalogue.names(.show, id),
                catalogue.body(.show, id)?.isRunning == true
            else { return Self.notFound }
            show = id
        }
        let log = catalogue.log, cursor = parts[parts.count - 1]
        if cursor == "latest" { return Self.answer(#"{"event_id":"\#(log.latest)"}"#) }
        guard let position = log.position(of: cursor) else {
            return SimulatedPartner.Answer(status: 410, body: #"{"error":"unknown_event"}"#)
        }
        let refresh = log.refresh(after: position)
        // 255: the cursor is too old for every kind, so the client must fetch everything again.
        guard refresh != 255 else {
            return Self.answer(#"{"event_id":"\#(log.latest)","refresh":255,"more":0,"events":[]}"#)
        }
        let laterEvents = log.events.filter { $0.number > position }, page = laterEvents.prefix(Self.pageSize)
        let elements = page.filter { belongs($0, to: show) }.map(element).joined(separator: ",")
        let end = page.last.map { cursor.prefix { $0 != "-" } + "-\($0.number)" } ?? Substring(cursor)
        let more = laterEvents.count > page.count ? 1 : 0
        return Self.answer(
            #"{"event_id":"\#(end)","refresh":\#(refresh),"more":\#(more),"events":[\#(elements)]}"#)
    }

    private static func answer(_ body: String) -> SimulatedPartner.Answer {
        SimulatedPartner.Answer(body: body)
    }

    /// Whether an event is in the feed of a show; if `show` is `nil`, in the partner's feed.
    private func belongs(_ event: EventsLog.Event, to show: String?) -> Bool {
        guard let show else { return true }
        if event.kind == .show { return event.id == show }
        return event.kind == .artwork
            && catalogue.lists[PartnerCatalogue.artworks(.show, show)]?.contains(event.id) == true
    }

    /// The JSON of an event, in one of three forms that alternate with the event's number:
    ///
    /// - without the object;
    /// - with the complete current object;
    /// - with the fields that changed, or the complete object if they are unknown.
    ///
    /// An object that no longer exists is reported as deleted.
    private func element(_ event: EventsLog.Event) -> String {
        let name = #""kind":"\#(event.kind.name)","id":"\#(event.id)""#
        guard catalogue.names(event.kind, event.id), let body = catalogue.body(event.kind, event.id) else {
            return "{\(name),\"action\":0}"
        }
        let head = "{\(name)\(validator(event.kind, event.id))"
        switch event.number % 3 {
        case 0: return "\(head),\"action\":2}"
        case 1: return "\(head),\"action\":2,\"object\":\(body.text)}"
        default:
            let fields = fields(of: event, in: body)
            return "\(head),\"action\":\(fields == nil ? 2 : 3),\"object\":\(fields ?? body.text)}"
        }
    }

    /// The fields that an event changed; `nil` if they are unknown, or cannot be expressed as fields.
    ///
    /// Also `nil` if a later event is about the same object. The event's ETag is that of the current object, which the fields of
    /// this event alone don't produce.
    private func fields(of event: EventsLog.Event, in body: PartnerCatalogue.Body) -> String? {
        guard !traits.omitsTombstones, catalogue.log.isLast(event),
            let before = try? event.before.map({ try JSONValue(parsing: $0) })?.objectValue,
            let now = try? JSONValue(parsing: body.text).objectValue,
            before.members.allSatisfy({ now[$0.key] != nil })
        else { return nil }
        var changed: JSONObject = [:]
        for member in now.members where before[member.key] != member.value {
            changed[member.key] = member.value
        }
        return changed.canonicalText
    }
}
