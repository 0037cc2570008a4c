import Foundation
import PeriodicLoops

/// When a watch runs a whole sync, and why: a pure decision.
///
/// | sync | when |
/// |---|---|
/// | daily | 24 hours after the last that ended, for changes without events; ten minutes after it where a list is owed, then less often |
/// | edits | as soon as local edits wait to be pushed; at most one a minute, less often while the server won't have them |
/// | poll | at its interval, where the server has no events |
///
/// What failed in a way that may pass is tried again at growing intervals up to half an hour, whatever it was for.
struct SyncAgenda: Sendable, Hashable {
    /// From one poll to the next; `nil` where there are events.
    private(set) var pollInterval: Duration?
    private(set) var nextDaily: Date
    private(set) var nextPoll: Date?
    private var nextEdits: Date
    /// When somebody wanted a sync at once that hasn't begun since.
    private var hurried: Date?
    /// Nothing before that time.
    private(set) var notBefore: Date?
    private var failures = 0
    private var uselessPushes = 0
    private var nextOwed: Date
    private var uselessListings = 0

    static let day: TimeInterval = 86_400
    private static let pushes = BackOff(first: .seconds(60))
    private static let listings = BackOff(first: .seconds(600), limit: .seconds(86_400))
    private static let retries = BackOff(first: .seconds(2))

    /// - Parameter now: when the first sync has ended.
    init(now: Date) {
        nextDaily = now.addingTimeInterval(Self.day)
        nextEdits = now
        nextOwed = now.adding(Self.listings.ceiling(afterFailures: 1))
    }

    /// - Parameter owes: whether events are followed though lists did not come.
    func due(at now: Date, hasEdits: Bool, owes: Bool = false) -> WatchSync? {
        if hurried != nil { return nextPoll == nil ? .daily : .poll }
        if let notBefore, !Self.isPast(notBefore, at: now, longest: Self.retries.limit) { return nil }
        if let nextPoll, Self.isPast(nextPoll, at: now, longest: pollInterval ?? .zero) { return .poll }
        if Self.isPast(nextDaily, at: now, longest: .seconds(Self.day)) { return .daily }
        if owes, Self.isPast(nextOwed, at: now, longest: Self.listings.limit) { return .daily }
        return hasEdits && Self.isPast(nextEdits, at: now, longest: Self.pushes.limit) ? .edits : nil
    }

    /// Whether a time has come. One that lies further ahead than it ever is put off was noted before the clock was set back.
    ///
    /// - Parameter longest: the longest wait that such a time ends.
    private static func isPast(_ time: Date, at now: Date, longest: Duration) -> Bool {
        let left = time.timeIntervalSince(now)
        return left <= 0 || left > longest / .seconds(1) + 60
    }

    /// Polls from now on at that interval, or no more.
    mutating func poll(every interval: Duration?, from now: Date) {
        pollInterval = interval
        nextPoll = interval.map(now.adding)
    }

    /// The next poll, or daily sync where there are events, is due now, and once more behind one that runs: that may have
    /// read already what has changed since.
    mutating func hurry(_ now: Date) { hurried = now }

    /// A sync begins, and has read nothing yet.
    mutating func began() { hurried = nil }

    /// A sync has ended; it counts for all that was due when it began.
    ///
    /// - Parameters:
    ///   - hasEdits: whether local edits still wait.
    ///   - owes: whether lists still did not come.
    mutating func succeeded(at now: Date, hasEdits: Bool, owes: Bool = false) {
        failures = 0
        notBefore = nil
        nextDaily = now.addingTimeInterval(Self.day)
        nextPoll = pollInterval.map(now.adding)
        uselessListings = owes ? uselessListings + 1 : 0
        nextOwed = now.adding(Self.listings.ceiling(afterFailures: max(1, uselessListings)))
        uselessPushes = hasEdits ? uselessPushes + 1 : 0
        nextEdits = now.adding(Self.pushes.ceiling(afterFailures: max(1, uselessPushes)))
    }

    /// - Parameter random: in `0..<1`.
    mutating func failed(at now: Date, random: Double) {
        failures += 1
        notBefore = now.adding(Self.retries.delay(afterFailures: failures, random: random))
    }

    /// When the next sync is due of which that is known.
    var next: Date {
        if let hurried { return hurried }
        let due = min(nextPoll ?? nextDaily, nextDaily)
        return max(due, notBefore ?? due)
    }
}

extension Date {
    func adding(_ duration: Duration) -> Date { addingTimeInterval(duration / .seconds(1)) }
}

/// The interval of syncs where the server has no events: as short as the cost of finding nothing allows.
///
/// | | at the most |
/// |---|---|
/// | time spent on it | 1 % |
/// | requests a minute | 6 |
/// | in any case | at least the interval that a person asked for, and at most a day |
extension WatchWay {
    /// - Parameter last: what was polled last; `nil` before there was one to judge by.
    func interval(after last: SyncSummary?, least: Duration) -> Duration {
        let seconds = last.map { max($0.seconds / 0.01, Double($0.requests.sent) * 60 / 6) } ?? assumed
        // Limited before the conversion, which would overflow for an enormous cost.
        return max(least, .seconds(Int(min(max(0, seconds), 86_400).rounded(.up))))
    }

    /// Before the first poll: what about 10,000 objects that didn't change would cost.
    private var assumed: Double {
        switch self {
        case .events, .since: 100
        case .validators: 300
        case .tree: 3_600
        }
    }
}
