/// A page of a feed of events: the events after a cursor, oldest first.
public struct EventsAnswer: Sendable, Hashable {
    /// The id of the last event that the page covers: the next cursor.
    public let eventID: String
    /// A bit mask of the kinds whose lists have to be fetched completely; 0 for an ordinary page.
    public let refresh: Int
    /// Whether another page follows, which should be requested at once.
    public let hasMore: Bool
    /// The events, oldest first.
    public let events: [PartnerEvent]
    /// One sentence for each event that could not be read. Which objects they changed is unknown.
    public let unreadable: [String]

    /// Creates a page. Default: an ordinary last page without events.
    public init(
        eventID: String, refresh: Int = 0, hasMore: Bool = false, events: [PartnerEvent] = [],
        unreadable: [String] = []
    ) {
        self.eventID = eventID
        self.refresh = refresh
        self.hasMore = hasMore
        self.events = events
        self.unreadable = unreadable
    }

    /// Reads a page, or the answer to `events/latest`, which has no events.
    ///
    /// Numbers may be strings, as in every payload. A `refresh` that is not a number reads as 255, all kinds, because it
    /// is unknown which kinds are stale.
    /// - Throws: ``PayloadError`` if there is no event id, or `events` is not an array.
    public init(_ json: JSONObject) throws(PayloadError) {
        guard let id = json["event_id"]?.idText else {
            throw PayloadError(kind: "event", message: "The feed's answer has no event_id.")
        }
        var events: [PartnerEvent] = [], unreadable: [String] = []
        switch json["events"] {
        case nil, .null?: break
        case .array(let elements)?:
            for element in elements {
                do {
                    events.append(try PartnerEvent(element))
                } catch {
                    unreadable.append(error.message)
                }
            }
        default: throw PayloadError(kind: "event", message: "The feed's events are no list.")
        }
        self.init(
            eventID: id, refresh: Self.mask(json["refresh"]), hasMore: Self.isMore(json["more"]),
            events: events, unreadable: unreadable)
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
