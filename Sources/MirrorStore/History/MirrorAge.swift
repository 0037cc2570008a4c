import Foundation

/// When a mirror was last known to equal the partner's catalogue.
package struct MirrorAge: Sendable, Hashable {
    /// When the last complete update of the whole mirror ended; `nil` if none has. In the store's format.
    package let lastGood: String?
    /// The loops of a watch.
    package let loops: [LoopRecord]
    /// Whether no update has completed, or the last one that ended was partial.
    package let isIncomplete: Bool

    package init(lastGood: String?, loops: [LoopRecord], isIncomplete: Bool) {
        (self.lastGood, self.loops, self.isIncomplete) = (lastGood, loops, isIncomplete)
    }

    /// When the mirror was last known to equal the partner's catalogue.
    ///
    /// This is the end of a complete sync, or the last time that the partner's feed was read to its end. The feed counts only
    /// if the last sync was complete: it doesn't contain what a partial sync left out. A time in the future was stored by
    /// a wrong clock, so it is returned only if there is no other time.
    package func lastCurrent(_ now: Date) -> String? {
        let isFollowed = !isIncomplete
        let followed = loops.filter { $0.id == LoopRecord.coreID && $0.failures == 0 && isFollowed }
            .compactMap(\.lastAt)
        let times = followed + [lastGood].compactMap(\.self)
        return times.filter { !Self.isAhead($0, of: now) }.max() ?? times.max()
    }

    /// Seconds since ``lastCurrent(_:)``; `nil` if there is no such time, or a wrong clock stored it.
    package func seconds(_ now: Date) -> Int? {
        let last = lastCurrent(now)
        guard !Self.isAhead(last, of: now) else { return nil }
        return Self.date(last).map { max(0, Int(now.timeIntervalSince($0))) }
    }

    /// Whether a time is more than a minute in the future, so that a wrong clock stored it.
    package static func isAhead(_ timestamp: String?, of now: Date) -> Bool {
        date(timestamp).map { $0.timeIntervalSince(now) > 60 } ?? false
    }

    /// The date of a time in the store's format.
    package static func date(_ timestamp: String?) -> Date? {
        timestamp.flatMap {
            try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
    }
}
