import Catalogue
import PeriodicLoops

/// A page of a feed as the loops see it.
struct FeedPage: EventsPage {
    /// The cursor with which it was asked for.
    let asked: String
    let answer: EventsAnswer
    /// When the server made it, in seconds since 1970; `nil` if it didn't say.
    var madeAt: Double?

    var refresh: RefreshMask { RefreshMask(rawValue: answer.refresh) }
    var hasMore: Bool { answer.hasMore }
}
