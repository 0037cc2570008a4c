import Catalogue
import Foundation

/// Whether a stored date may be asked with, and which is stored next. All times are the server's.
///
/// | stored date | answer |
/// |---|---|
/// | none | everything is fetched |
/// | more than two calendar months before the server's time | everything: servers prove three months, and clocks differ |
/// | after the server's time | everything: a clock was wrong when it was stored |
/// | else | what changed since |
package enum SinceRule {
    package enum Verdict: Sendable, Hashable {
        case ask
        case missing, tooOld, ahead
    }

    /// How far the next date lies before the answer's own: what was being written while it was made is seen again.
    package static let overlap: TimeInterval = 300

    /// What to ask with where something that is here was made so early, in seconds since 1970.
    static func reaching(back madeAt: Double) -> Timestamp { Timestamp(seconds: Int(madeAt - overlap)) }

    /// - Parameters:
    ///   - since: the stored date; text that can't be read counts as none.
    ///   - serverTime: the answer's `Date`, or before there is one, the local time corrected by the last measured offset.
    package static func judge(_ since: String?, serverTime: Date) -> Verdict {
        guard let stored = since.flatMap({ Timestamp($0) }) else { return .missing }
        let now = Timestamp(seconds: Int(serverTime.timeIntervalSince1970.rounded(.down)))
        // `Date` has whole seconds.
        if stored >= Timestamp(seconds: now.seconds + 1) { return .ahead }
        return stored < now.earlier(months: 2) ? .tooOld : .ask
    }

    /// The date to store after an answer: the server's less the overlap, else the latest change that was seen, else
    /// what was stored before.
    ///
    /// Never earlier than what was just asked with, nor than the end of the changes that the answer has: the server
    /// vouches for both, while it might be too young to know of an earlier time.
    package static func next(
        date: Date?, latestChange: Timestamp?, before: String?, end: Timestamp? = nil
    ) -> String? {
        if let date {
            let next = Timestamp(seconds: Int(date.addingTimeInterval(-overlap).timeIntervalSince1970))
            // An end that lies ahead of the server's own clock says nothing.
            let known = end.flatMap { $0.secondsSince1970 < date.timeIntervalSince1970 + 1 ? $0 : nil }
            return [next, before.flatMap { Timestamp($0) }, known].compactMap { $0 }.max()?.text
        }
        guard let latestChange else { return before }
        guard let earlier = before.flatMap({ Timestamp($0) }), earlier > latestChange else {
            return latestChange.text
        }
        return before
    }
}
