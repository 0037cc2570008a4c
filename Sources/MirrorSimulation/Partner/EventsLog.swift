import Catalogue
import MirrorStore

/// The partner's log of events, part of which may have been discarded.
struct EventsLog: Sendable {
    struct Event: Sendable, Hashable {
        let number: Int
        let kind: Kind
        let id: String
        /// The fingerprint of the object's body at that time; `nil` if no list contained it any more.
        let version: UInt64?
        /// The object's body at the previous event; `nil` if there was none, or if the object was deleted then.
        let before: String?
    }

    /// A part of every event's id. Another number means another log.
    private(set) var name = 1
    private(set) var events: [Event] = []
    /// By kind, the number of the event up to which its events were discarded.
    private(set) var discarded: [Kind: Int] = [:]
    private var last = 0
    /// The bodies of objects at their last events.
    private var bodies: [Subject: String] = [:]

    /// - Parameter body: `nil` if no list contains the object any more.
    mutating func note(_ kind: Kind, _ id: String, body: String?) {
        last += 1
        let subject = Subject(kind: kind, id: id)
        events.append(
            Event(
                number: last, kind: kind, id: id, version: body.map { Fingerprint.of($0) },
                before: bodies[subject]))
        bodies[subject] = body
    }

    /// Whether no later event is about the same object.
    func isLast(_ event: Event) -> Bool {
        !events.contains { $0.number > event.number && $0.kind == event.kind && $0.id == event.id }
    }

    var latest: String { "L\(name)-\(last)" }

    /// Marks all events of these kinds so far as discarded.
    mutating func discard(_ kinds: [Kind]) {
        for kind in kinds { discarded[kind] = last }
    }

    /// Gives all events other ids, as if a backup was restored or the server was moved.
    mutating func changeIdentity() { name += 1 }

    /// The number of the event with an id; `nil` for an unknown id.
    func position(of cursor: String) -> Int? {
        let parts = cursor.split(separator: "-")
        guard parts.count == 2, parts[0] == "L\(name)", let position = Int(parts[1]), position <= last else {
            return nil
        }
        return position
    }

    /// The bit mask `refresh` of a page: the kinds of which events after that number were discarded.
    func refresh(after position: Int) -> Int {
        let kinds = Kinds.standard.listed.filter { (discarded[$0] ?? 0) > position }
        if kinds.count == Kinds.standard.listed.count { return 255 }
        return kinds.reduce(0) { $0 | (Self.bits[$1] ?? 0) }
    }

    private static let bits: [Kind: Int] = [
        .artwork: 1, .show: 2, .album: 4, .location: 8, .artist: 16,
    ]

    /// The versions of an object that a mirror may have if it knows all events up to a number.
    ///
    /// These are the version at the last event up to then, and all later ones. Empty if no event was about the object.
    func versions(of kind: Kind, _ id: String, knownTo position: Int) -> [UInt64?] {
        let all = events.filter { $0.kind == kind && $0.id == id }
        guard let first = all.lastIndex(where: { $0.number <= position }) else { return [] }
        return all[first...].map(\.version)
    }

    /// The objects of all events up to a number.
    func reported(upTo position: Int) -> Set<Subject> {
        Set(events.lazy.filter { $0.number <= position }.map { Subject(kind: $0.kind, id: $0.id) })
    }

    struct Subject: Hashable {
        let kind: Kind
        let id: String
    }
}
