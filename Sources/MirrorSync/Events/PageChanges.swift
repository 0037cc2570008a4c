import Catalogue
import MirrorStore

/// What a page of events changes in a mirror: each object at most once, without unknown kinds.
struct PageChanges: Sendable {
    /// The partner itself, if it changed.
    private(set) var partner: PartnerEvent?
    /// What was created or changed, by kind, in the order of the last events.
    private(set) var changed: [Kind: [PartnerEvent]] = [:]
    /// What was deleted.
    private(set) var gone: [Kind: [String]] = [:]
    /// Events that could not be read, each in a sentence.
    private(set) var unread: [String]
    /// Events, folded.
    let count: Int
    /// When the server made the page, in seconds since 1970; `nil` if it didn't say.
    let madeAt: Double?

    init(_ page: FeedPage, _ kinds: Kinds) {
        madeAt = page.madeAt
        let events = EventFold.fold(page.answer.events)
        count = events.count
        unread = page.answer.unread
        for event in events {
            guard let kind = kinds[event.kind] else { continue }
            guard !event.id.utf8.contains(0) else {
                unread.append("An id has a NUL character in it.")
                continue
            }
            if kind.isListed, event.action == .delete {
                gone[kind, default: []].append(event.id)
            } else if kind.isListed {
                changed[kind, default: []].append(event)
            } else if kind == .partner, event.action != .delete {
                partner = event
            }
        }
    }

    /// What was created or changed, of whatever kind: either may be because of a file under it.
    var owners: [Owner] {
        changed.sorted { $0.key.name < $1.key.name }.flatMap { kind, events in
            events.map { Owner(kind, $0.id) }
        }
    }

    var isEmpty: Bool { partner == nil && changed.isEmpty && gone.isEmpty && unread.isEmpty }

    /// For a kind whose list is newer than the page: leaves out changed objects that the list doesn't name (they are gone since)
    /// and deletions of objects that it names (they were created again). Objects of which the page has only some fields are
    /// requested: the fields may be older than the object that came with the list.
    ///
    /// - Parameters:
    ///   - unlisted: which of these objects are not stored as the list has them.
    ///   - listed: which of these are stored as the list has them.
    mutating func leaveOut(
        _ kind: Kind, unlisted: (_ ids: [String]) throws -> Set<ExactText>,
        listed: (_ ids: [String]) throws -> Set<ExactText>
    ) rethrows {
        if let events = changed[kind] {
            let lost = try unlisted(events.map(\.id))
            changed[kind] = events.filter { !lost.contains(ExactText($0.id)) }.map { event in
                guard event.action == .partial else { return event }
                return PartnerEvent(kind: event.kind, id: event.id, action: .update, lists: event.lists)
            }
        }
        if let ids = gone[kind] {
            let back = try listed(ids)
            gone[kind] = ids.filter { !back.contains(ExactText($0)) }
        }
    }

    /// Leaves out what was pruned in the very version that the server still has.
    mutating func leaveOut(_ pruned: [ExactText: String?]) {
        guard !pruned.isEmpty else { return }
        changed[.show]?.removeAll { event in
            event.etag != nil && pruned[ExactText(event.id)] == .some(event.etag)
        }
    }
}

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
        let base = stored?.json.flatMap { try? JSONValue(parsing: $0).objectValue }
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

    /// Whether what a partial makes of the stored object is the version that the event names. A change before it may have
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

    private static func isOlder(_ object: JSONObject, than base: JSONObject?) -> Bool {
        let times = [object, base].map { $0?["updated_at"]?.stringValue.flatMap { Timestamp($0) } }
        guard let new = times[0], let old = times[1] else { return false }
        return new < old
    }
}
