import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Which loops are asked, as what is stored and the time say.
extension Follower {
    /// A loop has stored something of these kinds.
    func stored(_ kinds: Set<Kind>) {
        if kinds.contains(.show) { switchShows() }
        center.trigger(Item.files)
    }

    /// Where there are events, shows' loops are switched; see ``PartnerLoop/switchShows()``.
    func switchShows() {
        if way == .events { core.switchShows() }
    }

    /// After a sync that another program ran to its end, the feed is asked at once, whatever its back-off says: its trouble
    /// may be over, and the stored record says that it is well.
    func wakeCore() {
        guard
            let loop = scheduler.status.loops.first(where: { $0.id == LoopRecord.coreID }),
            loop.health.state != .well
        else { return }
        context.reporting(LoopRecord.coreID) {
            let record = try context.store.loop(LoopRecord.coreID)
            if record?.state == LoopRecord.enabled, record?.health == nil { scheduler.triggerCoreLoop() }
        }
    }

    /// A loop that the guard stopped, or whose server had no events, is asked again once a sync has stored a cursor.
    func bringBackCore() {
        guard way == .events, !scheduler.enabledLoops.contains(LoopRecord.coreID) else { return }
        context.reporting(LoopRecord.coreID) {
            guard let record = try context.store.loop(LoopRecord.coreID), record.state == LoopRecord.enabled,
                scheduler.enableLoop(LoopRecord.coreID)
            else { return }
            context.notify(.loopChanged(record))
        }
    }
}
