import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Enables and wakes loops, depending on the stored data and the time.
extension Follower {
    /// Called after a loop has stored objects of these kinds.
    func stored(_ kinds: Set<Kind>) {
        if kinds.contains(.show) { updateShowLoops() }
        center.trigger(Item.files)
    }

    /// Enables and disables shows' loops, if events are followed; see ``PartnerLoop/updateShowLoops()``.
    func updateShowLoops() {
        if way == .events { core.updateShowLoops() }
    }

    /// Triggers the core loop regardless of its back-off, if its stored record has no failure any more.
    ///
    /// That is so after another program has completed a sync: then the server is probably well again.
    func retryCoreIfRecovered() {
        guard
            let loop = scheduler.status.loops.first(where: { $0.id == LoopRecord.coreID }),
            loop.health.state != .well
        else { return }
        context.reporting(LoopRecord.coreID) {
            let record = try context.store.loop(LoopRecord.coreID)
            if record?.state == LoopRecord.enabled, record?.health == nil { scheduler.triggerCoreLoop() }
        }
    }

    /// Enables the core loop again, after a sync has stored a cursor. The loop was disabled because the delete guard stopped it,
    /// or because the server had no events.
    func reenableCore() {
        guard way == .events, !scheduler.enabledLoops.contains(LoopRecord.coreID) else { return }
        context.reporting(LoopRecord.coreID) {
            guard let record = try context.store.loop(LoopRecord.coreID), record.state == LoopRecord.enabled,
                scheduler.enableLoop(LoopRecord.coreID)
            else { return }
            context.notify(.loopChanged(record))
        }
    }
}
