import MirrorStore
import PeriodicLoops

/// When loops and items wait: while a whole sync runs, and as long as a person has the watch paused.
extension Follower {
    /// Why the loops wait.
    enum Hold: Sendable, Hashable { case sync, pause }

    /// From here on no loop begins anything, until all that hold them have released them.
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

    /// Begins nothing while the mirror's database says that a person has the watch paused; what runs goes on to its end.
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
            // Before anything goes on that is reported, too.
            context.notify(.resumed)
            for id in state.withLock({ $0.pausedItems }) { center.enable(id) }
            center.trigger(Item.files)
            release(.pause)
        }
    }

    /// Whether the watch has seen that a person has it paused.
    var isPaused: Bool { state.withLock { $0.pausedAt != nil } }
}
