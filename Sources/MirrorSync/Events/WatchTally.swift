import MirrorHTTP
import Synchronization

/// What a watch counts, and what of it is not stored yet.
final class WatchTally: Sendable {
    enum Name: String, Sendable {
        case requests, notModified = "not_modified", failures, bytes, pages, objects
    }

    private struct State {
        var sums: [String: Int] = [:]
        var stored: [String: Int] = [:]
        /// What of the feeds' session is in the sums.
        var seen = SessionStatistics()
    }

    private let state = Mutex(State())

    func add(_ name: Name, _ count: Int = 1) {
        guard count != 0 else { return }
        state.withLock { $0.sums[name.rawValue, default: 0] += count }
    }

    /// What a run did, which its own log hook has stored.
    func addStored(_ statistics: SessionStatistics) {
        state.withLock { state in
            for (name, count) in Self.counts(statistics) {
                state.sums[name, default: 0] += count
                state.stored[name, default: 0] += count
            }
        }
    }

    /// What a session did, by the names of counts.
    static func counts(_ statistics: SessionStatistics) -> [String: Int] {
        [
            Name.requests.rawValue: statistics.sent, Name.notModified.rawValue: statistics.notModified,
            Name.bytes.rawValue: statistics.bytesReceived,
        ]
    }

    /// Takes in what a session has done since it was last looked at.
    func look(at statistics: SessionStatistics) {
        let seen = state.withLock { state in
            defer { state.seen = statistics }
            return state.seen
        }
        add(.requests, statistics.sent - seen.sent)
        add(.notModified, statistics.notModified - seen.notModified)
        add(.bytes, statistics.bytesReceived - seen.bytesReceived)
    }

    var sums: [String: Int] { state.withLock { $0.sums } }

    /// What is to be stored now; counts as stored from here on.
    func takeUnstored() -> [String: Int] {
        state.withLock { state in
            let new = state.sums.map { ($0.key, $0.value - (state.stored[$0.key] ?? 0)) }
            state.stored = state.sums
            return Dictionary(uniqueKeysWithValues: new.filter { $0.1 != 0 })
        }
    }
}
