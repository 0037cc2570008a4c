import MirrorStore
import PeriodicLoops

/// Suspends loops and items while a whole sync runs, and while the user has paused the watch.
extension Follower {
    /// Why the loops are suspended.
    enum Hold: Sendable, Hashable { case sync, pause }

    /// Suspends the loops until every reason has been released.
    func hold(_ reason: Hold) {
        holds.withLock { holds in
            holds.insert(reason)
            scheduler.suspend()
        }
    }

    func release(_ reason: Hold) {
        holds.withLock { holds in
            holds.remove(reason)
            if holds.isEmpty { scheduler.resume() }
        }
    }

    private var pausable: [String] { Item.pausable + setting.items.map(\.uid) }

    /// Reads from the mirror's database whether the user has paused the watch, and suspends or resumes loops and items.
    ///
    /// Work that runs already goes on to its end.
    func checkPause() throws {
        let now = try context.store.pausedAt
        let before = state.withLock { state in
            defer { state.pausedAt = now }
            return state.pausedAt
        }
        if before == nil, let now {
            hold(.pause)
            let disabled = pausable.filter { center.disable($0, cancelling: false) }
            state.withLock { $0.pausedItems = disabled }
            context.notify(.paused(since: now))
        } else if before != nil, now == nil {
            // Report the end of the pause before any resumed work reports something.
            context.notify(.resumed)
            for id in state.withLock({ $0.pausedItems }) { center.enable(id) }
            center.trigger(Item.files)
            release(.pause)
        }
    }

    /// Whether the watch was paused when that was last checked.
    var isPaused: Bool { state.withLock { $0.pausedAt != nil } }
}
