import Catalogue
import MirrorStore
import Synchronization

/// What a watch has asked for by itself lately: ghosts and objects marked for refetching, to be left alone meanwhile;
/// bounded.
///
/// What the server doesn't have is asked for once an hour at the most, and what it failed to answer after ``pause``: an
/// object that a page told of and that did not come is stale until then.
final class GhostAttempts: Sendable {
    typealias IDs = [Kind: Set<ExactText>]

    private struct State: Sendable {
        var since: Duration?
        var asked: IDs = [:]
        /// What failed, and when the first of it did.
        var failed: IDs = [:]
        var failedAt: Duration = .zero
    }

    static let pause: Duration = .seconds(300)
    static let memory: Duration = .seconds(3_600)
    static let most = 50_000
    private let state = Mutex(State())

    /// What is to be left alone at that time.
    func current(at time: Duration) -> IDs {
        state.withLock { state in
            let isOld = state.since.map { time - $0 >= Self.memory } ?? true
            if isOld || state.asked.values.reduce(0, { $0 + $1.count }) > Self.most {
                state.asked = [:]
                state.failed = [:]
                state.since = time
            }
            return state.asked
        }
    }

    func note(_ asked: IDs) {
        state.withLock { $0.asked.merge(asked) { $0.union($1) } }
    }

    /// Of what was asked for, this failed in a way that may pass.
    func noteFailed(_ failed: IDs, at time: Duration) {
        guard failed.values.contains(where: { !$0.isEmpty }) else { return }
        state.withLock { state in
            if state.failed.isEmpty { state.failedAt = time }
            state.failed.merge(failed) { $0.union($1) }
        }
    }

    /// Frees what failed a while ago; returns whether there was any.
    func bringBack(at time: Duration) -> Bool {
        state.withLock { state in
            guard !state.failed.isEmpty, time - state.failedAt >= Self.pause else { return false }
            for (kind, ids) in state.failed { state.asked[kind]?.subtract(ids) }
            state.failed = [:]
            return true
        }
    }
}
