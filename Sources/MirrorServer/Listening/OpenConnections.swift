import NIOCore
import Synchronization

/// The open connections of a server, never more than a limit.
///
/// Each takes a file descriptor, and when these run out no file can be opened and no connection accepted. A connection beyond
/// the limit takes the place of the one that has been idle longest; if none is idle, the new one is closed.
final class OpenConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        /// The number of the turn in which it became idle; `nil` while an answer is due or being sent.
        var idleSince: Int?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// Counts what became idle, and so orders it.
        var turn = 0

        mutating func nextTurn() -> Int {
            turn += 1
            return turn
        }

        var longestIdle: ObjectIdentifier? {
            entries.filter { $0.value.idleSince != nil }
                .min { ($0.value.idleSince ?? 0) < ($1.value.idleSince ?? 0) }?.key
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.entries.count } }

    /// Closes another connection, or this one, if there are too many.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = state.withLock { state in
            var longest: (any Channel)?
            if state.entries.count >= limit {
                guard let id = state.longestIdle else { return channel }
                longest = state.entries.removeValue(forKey: id)?.channel
            }
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, idleSince: state.nextTurn())
            return longest
        }
        surplus?.close(promise: nil)
    }

    /// Idempotent.
    func remove(_ channel: any Channel) {
        _ = state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// No effect on a connection that had to make room already.
    func set(_ channel: any Channel, isIdle: Bool) {
        state.withLock { state in
            let turn = isIdle ? state.nextTurn() : nil
            state.entries[ObjectIdentifier(channel)]?.idleSince = turn
        }
    }
}
