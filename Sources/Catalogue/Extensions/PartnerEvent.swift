/// One event of a partner's or show's feed (`events` extension): what happened to one object.
///
/// A change of a list, document or picture under an object is one of the object.
public struct PartnerEvent: Sendable, Hashable {
    /// As on the wire.
    public enum Action: Int, Sendable, Hashable, CaseIterable {
        case delete = 0
        case create = 1
        case update = 2
        /// The object has just the fields that changed.
        case partial = 3
    }

    /// The API's singular name: `partner`, `artwork`, `artist`, `show`, `album`, `location`; kinds that are not known yet
    /// are read too.
    public let kind: String
    public let id: String
    public let action: Action
    /// The object's ETag after the event, quotes included.
    public let etag: String?
    /// ETags of the lists under the object, by the lists' names; `nil` if the event doesn't say.
    public let lists: [String: String]?
    /// The whole object, or of a partial the fields that changed; `nil` if it has to be asked for.
    public let object: JSONObject?

    public init(
        kind: String, id: String, action: Action, etag: String? = nil, lists: [String: String]? = nil,
        object: JSONObject? = nil
    ) {
        self.kind = kind
        self.id = id
        self.action = action
        self.etag = etag
        self.lists = lists
        self.object = object
    }

    /// Reads an event. An action that is not known counts as an update of which nothing is said.
    ///
    /// - Throws: ``PayloadError`` without an id or a kind.
    public init(_ element: JSONValue) throws(PayloadError) {
        guard case .object(let json) = element, let id = json["id"]?.idText,
            let kind = json["kind"]?.stringValue, !kind.isBlank
        else { throw PayloadError(kind: "event", message: "An event has no id or no kind.") }
        guard let action = json["action"]?.looseNumber?.intValue.flatMap(Action.init(rawValue:)) else {
            self.init(kind: kind, id: id, action: .update)
            return
        }
        self.init(
            kind: kind, id: id, action: action,
            etag: json.etag, lists: json.listETags,
            object: json["object"]?.objectValue)
    }
}

/// Folds several events of one object into one, as the `events` extension says.
///
/// | earlier | later | together |
/// |---|---|---|
/// | anything | delete | delete |
/// | delete | create or update | update |
/// | delete | partial | update, to be asked for |
/// | create or update | create or update | the later object, the earlier action |
/// | create or update | partial | the object with the later fields, the earlier action |
/// | partial | create or update | update |
/// | partial | partial | one partial with the fields of both |
///
/// What the later event says of ETags counts; what it doesn't say isn't known any more.
public enum EventFold {
    /// Each object once, in the order of their last events.
    public static func fold(_ events: [PartnerEvent]) -> [PartnerEvent] {
        // By kind and id, compared byte for byte.
        var folded: [[[UInt8]]: PartnerEvent] = [:], places: [[[UInt8]]: Int] = [:]
        for (place, event) in events.enumerated() {
            let subject = [Array(event.kind.utf8), Array(event.id.utf8)]
            folded[subject] = folded[subject].map { together($0, event) } ?? event
            places[subject] = place
        }
        return places.sorted { $0.value < $1.value }.compactMap { folded[$0.key] }
    }

    /// Two events of one object as one.
    public static func together(_ earlier: PartnerEvent, _ later: PartnerEvent) -> PartnerEvent {
        switch (earlier.action, later.action) {
        case (_, .delete): later
        case (.delete, .partial): later.with(.update, nil)
        case (.delete, _), (.partial, .create), (.partial, .update): later.with(.update, later.object)
        case (.create, .partial), (.update, .partial), (.partial, .partial):
            later.with(earlier.action, merged(earlier.object, later.object))
        case (.create, _), (.update, _): later.with(earlier.action, later.object)
        }
    }

    /// An object with the fields of a partial; `nil` if either isn't known.
    public static func merged(_ object: JSONObject?, _ fields: JSONObject?) -> JSONObject? {
        guard var object, let fields else { return nil }
        for member in fields.members { object[member.key] = member.value }
        return object
    }
}

extension PartnerEvent {
    fileprivate func with(_ action: Action, _ object: JSONObject?) -> PartnerEvent {
        PartnerEvent(kind: kind, id: id, action: action, etag: etag, lists: lists, object: object)
    }
}
