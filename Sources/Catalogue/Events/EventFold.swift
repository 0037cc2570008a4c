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
        var folded: [Subject: PartnerEvent] = [:], places: [Subject: Int] = [:]
        for (place, event) in events.enumerated() {
            let subject = Subject(event)
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

    /// Ids are compared byte for byte.
    private struct Subject: Hashable {
        let kind: [UInt8]
        let id: [UInt8]

        init(_ event: PartnerEvent) {
            kind = Array(event.kind.utf8)
            id = Array(event.id.utf8)
        }
    }
}

extension PartnerEvent {
    fileprivate func with(_ action: Action, _ object: JSONObject?) -> PartnerEvent {
        PartnerEvent(kind: kind, id: id, action: action, etag: etag, lists: lists, object: object)
    }
}
