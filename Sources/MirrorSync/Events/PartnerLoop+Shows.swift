import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Which shows' loops are followed: the partner's loop enables and disables them through its delegate.
extension PartnerLoop {
    /// Enables and disables shows' loops as what is stored, and the time, say: after a page that has stored something of a
    /// show, and as time passes. Without a delegate nothing is switched.
    func switchShows() {
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
        guard let delegate else { return ([], []) }
        let time = try context.serverTime(), now = Timestamp(seconds: Int(time.timeIntervalSince1970))
        let wanted = try feeds(at: time).filter { $0.isFollowed(at: now) }.map { LoopRecord.showID($0.show) }
        let enabled = delegate.enabledLoops.filter { LoopRecord.show(ofLoop: $0) != nil }
        let known = Set(wanted), current = Set(enabled)
        let ended = enabled.filter { !known.contains($0) && delegate.disableLoop($0) }
        // If its show runs again, it begins from the start.
        try context.store.forgetLoops(ended)
        return (wanted.filter { !current.contains($0) && delegate.enableLoop($0) }, ended)
    }

    /// Shows that may be on at that time, or were the day before.
    private func feeds(at time: Date) throws -> [ShowFeed] {
        let day = CatalogueStore.text(of: time.addingTimeInterval(-86_400)).prefix(10)
        return try context.store.showFeeds(endingAfter: String(day))
    }

    /// Removes what is stored of loops whose shows are over or gone.
    func forgetEndedShows() throws {
        let running = Set(try feeds(at: context.serverTime()).map { LoopRecord.showID($0.show) })
        let old = try context.store.loops().filter {
            $0.kind == LoopRecord.Kind.show.rawValue && !running.contains($0.id)
        }
        try context.store.forgetLoops(old.map(\.id))
    }
}
