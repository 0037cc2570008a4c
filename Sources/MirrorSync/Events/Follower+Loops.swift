import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Which loops are asked, as what is stored and the time say.
extension Follower {
    func stored(_ kinds: Set<Kind>) {
        if kinds.contains(.show) { switchShows() }
        center.trigger(Item.files)
    }

    /// Enables and disables shows' loops as what is stored, and the time, say.
    func switchShows() {
        guard state.withLock({ $0.way }) == .events else { return }
        do {
            let changes = try roster.withLock { _ in try switchedShows() }
            for id in changes.ended { context.observer.handler(.loopEnded(id: id)) }
            for id in changes.begun {
                let stored = try context.store.loop(id)
                let isOver = stored?.state == LoopRecord.over
                let record = isOver ? nil : stored
                context.observer.handler(.loopChanged(record ?? LoopRecord(id: id, kind: .show)))
            }
        } catch {
            context.problem(error, about: "shows")
        }
    }

    private func switchedShows() throws -> (begun: [LoopID], ended: [LoopID]) {
        let wanted = try wantedLoops()
        let enabled = scheduler.enabledLoops.filter { LoopRecord.show(ofLoop: $0) != nil }
        let known = Set(wanted), current = Set(enabled)
        let ended = enabled.filter { !known.contains($0) && scheduler.disableLoop($0) }
        // Should its show run again, it begins anew.
        try context.store.forgetLoops(ended)
        return (wanted.filter { !current.contains($0) && scheduler.enableLoop($0) }, ended)
    }

    private func wantedLoops() throws -> [LoopID] {
        let time = try context.serverTime()
        return ShowRoster(try feeds(at: time), at: Timestamp(seconds: Int(time.timeIntervalSince1970))).loops
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

    /// After a sync that somebody else ran to its end, the feed is asked at once, whatever its back-off says: what it was
    /// about may be mended, and what is stored of it says that it is well.
    func wakeCore() {
        guard
            let loop = scheduler.status.loops.first(where: { $0.id == LoopRecord.coreID }),
            loop.health.state != .well
        else { return }
        do {
            let record = try context.store.loop(LoopRecord.coreID)
            if record?.state == LoopRecord.enabled, record?.health == nil { scheduler.triggerCoreLoop() }
        } catch {
            context.problem(error, about: LoopRecord.coreID)
        }
    }

    /// A loop that the guard stopped, or whose server had no events, is asked again once a sync has stored a cursor.
    func bringBackCore() {
        guard state.withLock({ $0.way }) == .events, !scheduler.enabledLoops.contains(LoopRecord.coreID)
        else { return }
        do {
            let record = try context.store.loop(LoopRecord.coreID)
            guard record?.state == LoopRecord.enabled, scheduler.enableLoop(LoopRecord.coreID) else { return }
            if let record { context.observer.handler(.loopChanged(record)) }
        } catch {
            context.problem(error, about: LoopRecord.coreID)
        }
    }
}
