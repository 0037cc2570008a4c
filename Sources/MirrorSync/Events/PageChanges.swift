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
