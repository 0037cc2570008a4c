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

    /// Enables and disables shows' loops as what is stored, and the time, say.
    func switchShows() {
        guard way == .events else { return }
        context.reporting("shows") {
            let changes = try switching.withLock { _ in try switchedShows() }
            for id in changes.ended { context.notify(.loopEnded(id: id)) }
            for id in changes.begun {
                let stored = try context.store.loop(id)
                let record = stored?.state == LoopRecord.over ? nil : stored
                context.notify(.loopChanged(record ?? LoopRecord(id: id, kind: .show)))
            }
        }
    }

    private func switchedShows() throws -> (begun: [LoopID], ended: [LoopID]) {
        let time = try context.serverTime(), now = Timestamp(seconds: Int(time.timeIntervalSince1970))
        let wanted = try feeds(at: time).filter { $0.isFollowed(at: now) }.map { LoopRecord.showID($0.show) }
        let enabled = scheduler.enabledLoops.filter { LoopRecord.show(ofLoop: $0) != nil }
        let known = Set(wanted), current = Set(enabled)
        let ended = enabled.filter { !known.contains($0) && scheduler.disableLoop($0) }
        // If its show runs again, it begins from the start.
        try context.store.forgetLoops(ended)
        return (wanted.filter { !current.contains($0) && scheduler.enableLoop($0) }, ended)
    }

    /// Shows that may be on at that time, or were the day before.
    private func feeds(at time: Date) throws -> [ShowFeed] {
        let day = CatalogueStore.text(of: time.addingTimeInterval(-86_400)).prefix(10)
        return try context.store.showFeeds(endingAfter: String(day))
    }

    /// Removes what is stored of loops whose shows are over or gone.
    func forgetLoops() throws {
        let running = Set(try feeds(at: context.serverTime()).map { LoopRecord.showID($0.show) })
        let old = try context.store.loops().filter {
            $0.kind == LoopRecord.Kind.show.rawValue && !running.contains($0.id)
        }
        try context.store.forgetLoops(old.map(\.id))
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
