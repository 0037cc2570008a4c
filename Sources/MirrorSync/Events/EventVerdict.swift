import Catalogue
import MirrorStore

/// What an event means for what is stored of its object.
///
/// | stored | event | verdict |
/// |---|---|---|
/// | as made from the event's ETag | any | current: only lists under it are looked at |
/// | said to be younger (`updated_at`) | with an object, and no ETag | current |
/// | said to be younger | with an object, and another ETag | asked for: ids may have changed hands |
/// | anything | with the whole object | that object |
/// | as the server said it | partial | the stored object with these fields |
/// | as the server said it, where these fields give another ETag than the event's, or nothing tells which they give | partial | asked for |
/// | nothing, a ghost, locally edited or otherwise doubtful | partial | asked for |
/// | anything | without an object | asked for |
enum EventVerdict: Sendable, Hashable {
    case current
    case body(JSONObject)
    /// By the canonical URL; the ETag that a conditional request may name.
    case ask(known: String?)

    /// - Parameter isAnnounced: whether the server announces by its lists which version of an object it has, so that what is
    ///   stored was the newest when it came.
    init(_ event: PartnerEvent, stored: StoredBase?, isAnnounced: Bool) {
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
        guard let stored, stored.isPlain, let merged = EventFold.merged(base, object),
            Self.isVersion(merged, of: event, from: stored) ?? isAnnounced
        else {
            self = .ask(known: known)
            return
        }
        self = .body(merged)
    }

    /// Whether what a partial makes of the stored object is the version that the event tells of. A change before it may have
    /// been missed: something on the way had an earlier answer.
    ///
    /// Only servers that make their ETags as this project's do can be held to theirs; that they do so shows in the ETag of
    /// what is stored. Of others `nil` is known. Without an ETag it is taken, as it will be asked for like all that has none.
    private static func isVersion(
        _ merged: JSONObject, of event: PartnerEvent, from stored: StoredBase
    ) -> Bool? {
        guard let announced = event.etag else { return true }
        guard let json = stored.json, EntityTag.strong(of: json) == stored.etag else { return nil }
        return EntityTag.strong(of: merged.canonicalText) == announced
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
