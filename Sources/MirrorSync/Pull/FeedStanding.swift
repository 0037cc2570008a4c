import Catalogue
import MirrorHTTP
import MirrorStore
import PeriodicLoops

/// Where the partner's feed of events stands before the first list, and whether it still is the feed that the mirror knows.
///
/// A server that was put back from a backup, or another database in its place, answers by dates as if nothing had
/// happened. Its feed knows better: the cursor that the last complete run stored is none of its own (410), or is told to
/// be too old. What changed since a date is then no evidence, and the lists are looked at.
struct FeedStanding: Sendable, Hashable {
    /// What is stored if the run ends complete; `nil` where the feed gave nothing.
    var cursor: String?
    /// Kinds of which the feed doesn't know what happened since the stored cursor.
    var forgotten: Set<Kind> = []

    /// - Parameter stored: the cursor of the last complete run; `nil` for none.
    /// - Throws: what the feed's request throws; ``EventsFeed/Refusal``.
    static func ask(_ feed: EventsFeed, stored: String?, kinds: Kinds) async throws -> FeedStanding {
        guard let stored else { return FeedStanding(cursor: try await feed.latest()) }
        let answer = try await feed.page(after: stored).answer
        guard answer.refresh == 0 else {
            let mask = RefreshMask(rawValue: answer.refresh)
            return FeedStanding(cursor: try await feed.latest(), forgotten: kinds.named(by: mask))
        }
        // The first page alone would have a feed that is followed afterwards tell again what this run brings.
        guard answer.hasMore else { return FeedStanding(cursor: answer.eventID) }
        return FeedStanding(cursor: try await feed.latest())
    }
}
