import Catalogue
import CatalogueSources

/// Counts the complete lists that lacked an object, and decides when it may be removed from the mirror: a model of what the store
/// does with its table `absence`.
///
/// An object that a complete list lacks is requested by its own URL. Only if that says that it doesn't exist, the list counts.
/// So a list that the server cut short, and an object that is only hidden for a day, remove nothing.
struct AbsenceCount: Sendable, Hashable {
    /// What a sync learned about a stored object.
    enum Evidence: Sendable, Hashable {
        /// A list named the object, complete or not; or its own URL answered with the object.
        case exists
        /// A complete list lacked it, and the answer of its own URL said that it doesn't exist.
        case absent
        /// Neither: the list was incomplete, or the object's own URL wasn't requested or failed.
        case unknown
    }

    /// The number of complete lists that lacked the object, at least 1.
    var lists: Int
    /// When the first and the last of these lists were read.
    var first: Timestamp
    var last: Timestamp

    init(lists: Int, first: Timestamp, last: Timestamp) {
        (self.lists, self.first, self.last) = (lists, first, last)
    }

    /// The state after a sync.
    ///
    /// - Parameters:
    ///   - count: The state before; `nil` if no list lacked the object.
    ///   - evidence: What the sync learned.
    ///   - time: When the list was read. If it is before the last one, the clock was changed, and counting starts again.
    /// - Returns: `nil` if no list lacks the object any more.
    static func after(
        _ count: AbsenceCount?, _ evidence: Evidence, at time: Timestamp
    ) -> AbsenceCount? {
        switch evidence {
        case .exists: return nil
        case .unknown: return count
        case .absent:
            guard let count, count.last <= time else {
                return AbsenceCount(lists: 1, first: time, last: time)
            }
            return AbsenceCount(lists: count.lists + 1, first: count.first, last: time)
        }
    }

    /// Whether the object may be removed by a description's rule. Only the rule `absence` ever allows it.
    func mayRemove(by rule: DeletionDescription) -> Bool {
        guard rule.rule == .absence, lists >= rule.lists else { return false }
        let apart =
            Duration.seconds(last.seconds - first.seconds)
            + .nanoseconds(last.nanoseconds - first.nanoseconds)
        return apart >= rule.apart
    }
}
