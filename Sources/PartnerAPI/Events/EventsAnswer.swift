/// A page of a feed of events: what happened after the event that was asked with, oldest first.
public struct EventsAnswer: Sendable, Hashable {
    /// The last event that the page covers: the next cursor.
    public let eventID: String
    /// A bit mask of the kinds that must be fetched afresh; 0 for an ordinary page.
    public let refresh: Int
    /// Whether there is another page, to be asked for at once.
    public let hasMore: Bool
    public let events: [PartnerEvent]
    /// Events that could not be read, each in a sentence: what they were about isn't known.
    public let unread: [String]

    public init(
        eventID: String, refresh: Int = 0, hasMore: Bool = false, events: [PartnerEvent] = [],
        unread: [String] = []
    ) {
        self.eventID = eventID
        self.refresh = refresh
        self.hasMore = hasMore
        self.events = events
        self.unread = unread
    }

    /// Reads a page, or the answer of `events/latest`, which has no events.
    ///
    /// `refresh` that is no number reads as 255: who can't tell what is stale takes nothing for fresh.
    /// - Throws: ``PayloadError`` without an event id, or where the events are no list.
    public init(_ json: JSONObject) throws(PayloadError) {
        guard let id = json["event_id"]?.idText else {
            throw PayloadError(kind: "event", message: "The feed's answer has no event_id.")
        }
        var events: [PartnerEvent] = [], unread: [String] = []
        switch json["events"] {
        case nil, .null?: break
        case .array(let elements)?:
            for element in elements {
                do {
                    events.append(try PartnerEvent(element))
                } catch {
                    unread.append(error.message)
                }
            }
        default: throw PayloadError(kind: "event", message: "The feed's events are no list.")
        }
        let refresh =
            switch json["refresh"] {
            case nil, .null?: 0
            case let value?: value.numberValue?.intValue ?? 255
            }
        let more = json["more"]
        self.init(
            eventID: id, refresh: refresh,
            hasMore: more == .bool(true) || (more?.numberValue?.intValue ?? 0) > 0,
            events: events, unread: unread)
    }
}
