import Catalogue
import MirrorStore

/// The changes that a page of events reports: each object at most once, without unknown kinds.
struct PageChanges: Sendable {
    /// The partner itself, if it changed.
    private(set) var partner: PartnerEvent?
    /// Objects that were created or changed, by kind, in the order of each object's last event.
    private(set) var changed: [Kind: [PartnerEvent]] = [:]
    /// The ids of deleted objects, by kind.
    private(set) var deleted: [Kind: [String]] = [:]
    /// Descriptions of the events that could not be read, each a sentence.
    private(set) var unread: [String]
    /// The number of events after folding.
    let count: Int
    /// When the server made the page, in seconds since 1970; `nil` if the answer has no date.
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
                deleted[kind, default: []].append(event.id)
            } else if kind.isListed {
                changed[kind, default: []].append(event)
            } else if kind == .partner, event.action != .delete {
                partner = event
            }
        }
    }

    /// The objects of all kinds that were created or changed, and whose files may therefore have changed.
    var owners: [Owner] {
        changed.sorted { $0.key.name < $1.key.name }.flatMap { kind, events in
            events.map { Owner(kind, $0.id) }
        }
    }

    var isEmpty: Bool { partner == nil && changed.isEmpty && deleted.isEmpty && unread.isEmpty }

    /// Removes the changes of a kind that its list, which is newer than the page, has overtaken.
    ///
    /// - A changed object that the list doesn't name is removed: it was deleted later.
    /// - A deletion of an object that the list names is removed: the object was created again.
    /// - For an object of which the page has only some fields, the object is requested instead: the fields may be older than
    ///   the listed object.
    ///
    /// - Parameters:
    ///   - unlisted: returns the ids that are not stored as listed.
    ///   - listed: returns the ids that are stored as listed.
    mutating func leaveOut(
        _ kind: Kind, unlisted: (_ ids: [String]) throws -> Set<ExactText>,
        listed: (_ ids: [String]) throws -> Set<ExactText>
    ) rethrows {
        if let events = changed[kind] {
            let unlistedIDs = try unlisted(events.map(\.id))
            changed[kind] = events.filter { !unlistedIDs.contains(ExactText($0.id)) }.map { event in
                guard event.action == .partial else { return event }
                return PartnerEvent(kind: event.kind, id: event.id, action: .update, lists: event.lists)
            }
        }
        if let ids = deleted[kind] {
            let listedIDs = try listed(ids)
            deleted[kind] = ids.filter { !listedIDs.contains(ExactText($0)) }
        }
    }

    /// Removes pruned shows whose ETag on the server is still that of the pruned version.
    mutating func leaveOut(_ pruned: [ExactText: String?]) {
        guard !pruned.isEmpty else { return }
        changed[.show]?.removeAll { event in
            event.etag != nil && pruned[ExactText(event.id)] == .some(event.etag)
        }
    }
}

/// Decides what an event means for the stored object.
///
/// | stored object | event | verdict |
/// |---|---|---|
/// | has the event's ETag | any | current: only the lists under it are compared |
/// | has a later `updated_at` | has an object, but no ETag | current |
/// | has a later `updated_at` | has an object with another ETag | request: another object may have taken over the id |
/// | any | has the full object | store that object |
/// | unmodified | partial | store the stored object with these fields |
/// | unmodified, and with these fields it has another ETag than the event's, or its ETag can't be computed | partial | request |
/// | none, a ghost, edited locally, or uncertain | partial | request |
/// | any | has no object | request |
enum EventVerdict: Sendable, Hashable {
    /// The stored object is the event's version.
    case current
    /// The object to store.
    case body(JSONObject)
    /// The object is requested by its canonical URL; `known` is the ETag for a conditional request.
    case request(known: String?)

    /// - Parameter hasListETags: whether the server's lists contain the objects' ETags, so that a stored object was the
    ///   newest version when it was fetched.
    init(_ event: PartnerEvent, stored: StoredBase?, hasListETags: Bool) {
        let known = stored?.isPlain == true ? stored?.etag : nil
        if let known, known == event.etag {
            self = .current
            return
        }
        guard let object = event.object, object["id"].map({ $0.idText == event.id }) ?? true else {
            self = .request(known: known)
            return
        }
        let base = stored?.json.flatMap { try? JSONValue(parsing: $0).objectValue }
        // The times are compared only if the stored object is unmodified.
        if stored?.isPlain == true, Self.isOlder(object, than: base) {
            self = event.etag == nil ? .current : .request(known: known)
            return
        }
        guard event.action == .partial else {
            self = object["id"] == nil ? .request(known: known) : .body(object)
            return
        }
        guard let stored, stored.isPlain, let merged = EventFold.merged(base, object),
            Self.isVersion(merged, of: event, from: stored) ?? hasListETags
        else {
            self = .request(known: known)
            return
        }
        self = .body(merged)
    }

    /// Whether the stored object with a partial event's fields is the version that the event names.
    ///
    /// It isn't if an earlier change was missed, for example because a proxy answered from its cache.
    ///
    /// - Returns: `nil` if the server computes its ETags in another way than this project, which the stored object's ETag
    ///   shows; `true` for an event without an ETag, because an object without one is requested again in any case.
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
