import MirrorStore
import PartnerAPI

/// What an event means for what is stored of its object.
///
/// | stored | event | verdict |
/// |---|---|---|
/// | as made from the event's ETag | any | current: only lists under it are looked at |
/// | said to be younger (`updated_at`) | with an object, and no ETag | current |
/// | said to be younger | with an object, and another ETag | asked for: ids may have changed hands |
/// | anything | with the whole object | that object |
/// | as the server said it | partial | the stored object with these fields |
/// | nothing, a ghost, locally edited or otherwise doubtful | partial | asked for |
/// | anything | without an object | asked for |
enum EventVerdict: Sendable, Hashable {
    case current
    case body(JSONObject)
    /// By the canonical URL; the ETag that a conditional request may name.
    case ask(known: String?)

    init(_ event: PartnerEvent, stored: StoredBase?) {
        let known = stored?.isPlain == true ? stored?.etag : nil
        if let known, known == event.etag {
            self = .current
            return
        }
        guard let object = event.object, object["id"].map({ $0.idText == event.id }) ?? true else {
            self = .ask(known: known)
            return
        }
        let base = Self.base(stored)
        // Only a row that the server's word can be compared with may win over what comes.
        if stored?.isPlain == true, Self.isOlder(object, than: base) {
            self = event.etag == nil ? .current : .ask(known: known)
            return
        }
        guard event.action == .partial else {
            self = object["id"] == nil ? .ask(known: known) : .body(object)
            return
        }
        guard stored?.isPlain == true, let merged = EventFold.merged(base, object) else {
            self = .ask(known: known)
            return
        }
        self = .body(merged)
    }

    private static func base(_ stored: StoredBase?) -> JSONObject? {
        stored?.json.flatMap { try? JSONValue(parsing: $0).objectValue }
    }

    private static func isOlder(_ object: JSONObject, than base: JSONObject?) -> Bool {
        guard let new = time(object), let old = time(base) else { return false }
        return new < old
    }

    private static func time(_ object: JSONObject?) -> Timestamp? {
        object?["updated_at"]?.stringValue.flatMap { Timestamp($0) }
    }
}
