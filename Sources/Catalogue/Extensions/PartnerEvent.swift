/// One event of a partner's or show's feed (`events` extension): a change of one object.
///
/// A change of a list, document or picture under an object counts as a change of the object.
public struct PartnerEvent: Sendable, Hashable {
    /// The type of change. Raw values are those on the wire.
    public enum Action: Int, Sendable, Hashable, CaseIterable {
        case delete = 0
        case create = 1
        case update = 2
        /// An update whose ``PartnerEvent/object`` contains only the changed fields.
        case partial = 3
    }

    /// The API's singular name of the kind: `partner`, `artwork`, `artist`, `show`, `album`, `location`. Unknown kinds are
    /// read, too.
    public let kind: String
    /// The object's id.
    public let id: String
    /// The type of change.
    public let action: Action
    /// The object's ETag after the event, quotes included.
    public let etag: String?
    /// ETags of the lists under the object, by the lists' names; `nil` if the event doesn't contain them.
    public let lists: [String: String]?
    /// The complete object, or only the changed fields of a ``Action/partial``; `nil` if it has to be requested.
    public let object: JSONObject?

    /// Creates an event. Default: without ETags and object.
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

    /// Reads an event. An unknown action reads as an update without ETags and object.
    ///
    /// - Throws: ``PayloadError`` if there is no id or no kind.
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

/// Folds several events of one object into one, by the rules of the `events` extension.
///
/// | earlier | later | result |
/// |---|---|---|
/// | anything | delete | delete |
/// | delete | create or update | update |
/// | delete | partial | update without an object, which has to be requested |
/// | create or update | create or update | the later object, the earlier action |
/// | create or update | partial | the object with the later fields, the earlier action |
/// | partial | create or update | update |
/// | partial | partial | one partial with the fields of both |
///
/// The ETags of the result are those of the later event. ETags that only the earlier event has are dropped.
public enum EventFold {
    /// One event for each object, in the order of the objects' last events.
    public static func fold(_ events: [PartnerEvent]) -> [PartnerEvent] {
        // Keys are kind and id as bytes: `String` compares by canonical equivalence.
        var folded: [[[UInt8]]: PartnerEvent] = [:], places: [[[UInt8]]: Int] = [:]
        for (place, event) in events.enumerated() {
            let subject = [Array(event.kind.utf8), Array(event.id.utf8)]
            folded[subject] = folded[subject].map { combined($0, event) } ?? event
            places[subject] = place
        }
        return places.sorted { $0.value < $1.value }.compactMap { folded[$0.key] }
    }

    /// Two events of one object as one.
    public static func combined(_ earlier: PartnerEvent, _ later: PartnerEvent) -> PartnerEvent {
        switch (earlier.action, later.action) {
        case (_, .delete): later
        case (.delete, .partial): later.with(.update, nil)
        case (.delete, _), (.partial, .create), (.partial, .update): later.with(.update, later.object)
        case (.create, .partial), (.update, .partial), (.partial, .partial):
            later.with(earlier.action, merged(earlier.object, later.object))
        case (.create, _), (.update, _): later.with(earlier.action, later.object)
        }
    }

    /// The object with the fields of a partial event; `nil` if either is `nil`.
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
