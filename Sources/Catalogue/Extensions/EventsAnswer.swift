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
    /// Numbers may be strings, as in every payload. `refresh` that is no number reads as 255: who can't tell what is stale takes nothing for fresh.
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
        self.init(
            eventID: id, refresh: Self.mask(json["refresh"]), hasMore: Self.isMore(json["more"]),
            events: events, unread: unread)
    }

    private static func mask(_ value: JSONValue?) -> Int {
        switch value {
        case nil, .null?, .bool(false)?: 0
        case .string(let text)? where text.isBlank: 0
        case let value?: value.looseNumber?.intValue ?? 255
        }
    }

    private static func isMore(_ value: JSONValue?) -> Bool {
        value == .bool(true) || (value?.looseNumber?.intValue ?? 0) > 0
    }
}
