import Catalogue

/// What the change log says to whoever knows everything up to an event.
package enum EventsSince: Sendable, Hashable {
    /// The event isn't one of this log: it is another database's, or this one was put back to an earlier state.
    case unknown
    /// What came after the event is no longer all there, or too old.
    case expired
    case window(EventWindow)
}

/// The part of the change log that a page of events covers.
package struct EventWindow: Sendable, Hashable {
    /// The objects that changed, each once, in the order of their last changes.
    package var changes: [ObjectChange] = []
    /// The last change that was looked at, or the event that was asked with.
    package var last: EventID
    /// Whether there are changes behind it.
    package var hasMore = false
}

/// What happened to an object in a part of the log: all of it as one.
package struct ObjectChange: Sendable, Hashable {
    package let kind: Kind
    package let id: String
    package let action: Action

    package enum Action: Sendable, Hashable {
        case create, update, delete

        /// Together with what happened next: what was created stays so until it is deleted; what was deleted and is
        /// created again is another version of what was there.
        func then(_ next: Action) -> Action {
            switch (self, next) {
            case (_, .delete): .delete
            case (.delete, _): .update
            case (.create, _), (.update, _): self
            }
        }
    }
}

/// Folds rows of the log, oldest first, into one change for each object, of a bounded number of objects.
struct EventFolder {
    private struct Subject: Hashable {
        let kind: Kind
        let id: ExactText
    }

    private let limit: Int
    private var folded: [Subject: (action: ObjectChange.Action, seq: Int64)] = [:]

    init(limit: Int) { self.limit = limit }

    /// - Returns: whether there was room for it.
    mutating func add(_ kind: Kind, _ id: String, _ action: ObjectChange.Action, seq: Int64) -> Bool {
        let subject = Subject(kind: kind, id: ExactText(id))
        guard let earlier = folded[subject] else {
            guard folded.count < limit else { return false }
            folded[subject] = (action, seq)
            return true
        }
        folded[subject] = (earlier.action.then(action), seq)
        return true
    }

    /// In the order of their last changes.
    var changes: [ObjectChange] {
        folded.sorted { $0.value.seq < $1.value.seq }.map {
            ObjectChange(kind: $0.key.kind, id: $0.key.id.text, action: $0.value.action)
        }
    }
}
