import Catalogue
import MirrorStore

/// What a partner's feed of events has to tell, and what it no longer can.
struct EventsLog: Sendable {
    struct Event: Sendable, Hashable {
        let number: Int
        let kind: Kind
        let id: String
        /// The fingerprint of the object's body then; `nil` if no list named it any more.
        let version: UInt64?
        /// The body that was there when the object was last told of; `nil` if it never was, or was gone.
        let before: String?
    }

    /// A part of every event's id; another one is another database.
    private(set) var name = 1
    private(set) var events: [Event] = []
    /// Up to these numbers, events of these kinds were thrown away.
    private(set) var discarded: [Kind: Int] = [:]
    private var last = 0
    /// What objects were when they were last told of.
    private var bodies: [Subject: String] = [:]

    /// - Parameter body: `nil` if no list names the object any more.
    mutating func note(_ kind: Kind, _ id: String, body: String?) {
        last += 1
        let subject = Subject(kind: kind, id: id)
        events.append(
            Event(
                number: last, kind: kind, id: id, version: body.map { Fingerprint.of($0) },
                before: bodies[subject]))
        bodies[subject] = body
    }

    /// Whether nothing was told of the object since.
    func isLast(_ event: Event) -> Bool {
        !events.contains { $0.number > event.number && $0.kind == event.kind && $0.id == event.id }
    }

    var latest: String { "L\(name)-\(last)" }

    /// The events of some kinds, or all, are thrown away.
    mutating func discard(_ kinds: [Kind]) {
        for kind in kinds { discarded[kind] = last }
    }

    /// A backup was put back, or the server moved: no event has the id that it had.
    mutating func changeIdentity() { name += 1 }

    /// How far an id stands in the log; `nil` for one that it never gave.
    func position(of cursor: String) -> Int? {
        let parts = cursor.split(separator: "-")
        guard parts.count == 2, parts[0] == "L\(name)", let position = Int(parts[1]), position <= last else {
            return nil
        }
        return position
    }

    /// The bits of the kinds of which something was thrown away behind that place.
    func refresh(after position: Int) -> Int {
        let kinds = Kinds.standard.listed.filter { (discarded[$0] ?? 0) > position }
        if kinds.count == Kinds.standard.listed.count { return 255 }
        return kinds.reduce(0) { $0 | (Self.bits[$1] ?? 0) }
    }

    private static let bits: [Kind: Int] = [
        .artwork: 1, .show: 2, .album: 4, .location: 8, .artist: 16,
    ]

    /// What the versions of an object are that a mirror may have that knows everything up to a place: the one that the
    /// last event then told of, and all that came since. Empty if nothing was told of it.
    func versions(of kind: Kind, _ id: String, knownTo position: Int) -> [UInt64?] {
        let all = events.filter { $0.kind == kind && $0.id == id }
        guard let first = all.lastIndex(where: { $0.number <= position }) else { return [] }
        return all[first...].map(\.version)
    }

    /// The objects that were told of up to a place.
    func reported(upTo position: Int) -> Set<Subject> {
        Set(events.lazy.filter { $0.number <= position }.map { Subject(kind: $0.kind, id: $0.id) })
    }

    struct Subject: Hashable {
        let kind: Kind
        let id: String
    }
}
