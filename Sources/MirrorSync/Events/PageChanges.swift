import Catalogue
import MirrorStore

/// What a page of events asks of a mirror: each object at most once, kinds that aren't known left out.
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

    init(_ answer: EventsAnswer, madeAt: Double? = nil) {
        self.madeAt = madeAt
        let events = EventFold.fold(answer.events)
        count = events.count
        unread = answer.unread
        for event in events {
            guard let kind = Kinds.standard[event.kind] else { continue }
            guard !event.id.utf8.contains(0) else {
                unread.append("An id has a NUL character in it.")
                continue
            }
            switch (kind, event.action) {
            case (.user, _), (.document, _), (.partner, .delete): continue
            case (.partner, _): partner = event
            case (_, .delete): gone[kind, default: []].append(event.id)
            default: changed[kind, default: []].append(event)
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

    /// Of a kind whose list is newer than the page, leaves out what would come to be though the list doesn't name it, and what
    /// would go though it does: it is gone since, or is there again. Of what only some fields are told is asked for: they
    /// belong to an object that may be older than the one that came because of the list.
    ///
    /// - Parameters:
    ///   - unlisted: which of these objects are not here as the list has them.
    ///   - listed: which of these are here as the list has them.
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
