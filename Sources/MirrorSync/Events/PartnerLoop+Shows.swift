import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// The partner's loop enables and disables the loops of shows through its delegate.
extension PartnerLoop {
    /// Enables the loops of running shows, and disables those of all other shows.
    ///
    /// It is called after a page that changed a show, and as time passes. Without a delegate it does nothing.
    func updateShowLoops() {
        context.reporting("shows") {
            let changes = try showLoopsLock.withLock { _ in try applyShowLoopChanges() }
            for id in changes.ended { context.notify(.loopEnded(id: id)) }
            for id in changes.begun {
                let stored = try context.store.loop(id)
                let record = stored?.state == LoopRecord.over ? nil : stored
                context.notify(.loopChanged(record ?? LoopRecord(id: id, kind: .show)))
            }
        }
    }

    private func applyShowLoopChanges() throws -> (begun: [LoopID], ended: [LoopID]) {
        guard let delegate else { return ([], []) }
        let time = try context.serverTime(), now = Timestamp(seconds: Int(time.timeIntervalSince1970))
        let wanted = try feeds(at: time).filter { $0.isFollowed(at: now) }.map { LoopRecord.showID($0.show) }
        let enabled = delegate.enabledLoops.filter { LoopRecord.show(ofLoop: $0) != nil }
        let known = Set(wanted), current = Set(enabled)
        let ended = enabled.filter { !known.contains($0) && delegate.disableLoop($0) }
        // If the show runs again later, its loop starts without a cursor.
        try context.store.forgetLoops(ended)
        return (wanted.filter { !current.contains($0) && delegate.enableLoop($0) }, ended)
    }

    /// The feeds of shows that end on the day before that time or later.
    private func feeds(at time: Date) throws -> [ShowFeed] {
        let day = CatalogueStore.text(of: time.addingTimeInterval(-86_400)).prefix(10)
        return try context.store.showFeeds(endingAfter: String(day))
    }

    /// Removes the stored state of loops whose shows have ended or were deleted.
    func forgetEndedShows() throws {
        let running = Set(try feeds(at: context.serverTime()).map { LoopRecord.showID($0.show) })
        let old = try context.store.loops().filter {
            $0.kind == LoopRecord.Kind.show.rawValue && !running.contains($0.id)
        }
        try context.store.forgetLoops(old.map(\.id))
    }
}
