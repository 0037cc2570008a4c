import Foundation
import PeriodicLoops

/// Decides when a watch runs a sync of all kinds, and why. It does no I/O.
///
/// | sync | when |
/// |---|---|
/// | daily | 24 hours after the last sync, for changes without events; if a list is missing, first after ten minutes |
/// | edits | when local edits wait to be pushed, at most once a minute |
/// | poll | at its interval, if the server has no events |
///
/// While a list stays missing, or the server refuses the edits, the waits grow. A sync that failed for a temporary reason is
/// tried again at growing intervals of up to half an hour.
struct SyncAgenda: Sendable, Hashable {
    /// From one poll to the next; `nil` if events are followed.
    private(set) var pollInterval: Duration?
    private(set) var nextDaily: Date
    private(set) var nextPoll: Date?
    private var nextEdits: Date
    /// When an immediate sync was requested; `nil` once a sync has begun after that.
    private var requestedAt: Date?
    /// After a failure, no sync begins before this time.
    private(set) var notBefore: Date?
    /// The longest possible wait until ``notBefore``.
    private var longestRetry = Self.retries.limit
    private var failures = 0
    /// The number of consecutive syncs after which edits still waited.
    private var failedPushes = 0
    /// When missing lists are requested again.
    private var nextListing: Date
    /// The number of consecutive syncs after which lists were still missing.
    private var failedListings = 0

    static let day: TimeInterval = 86_400
    private static let pushes = BackOff(first: .seconds(60))
    private static let listings = BackOff(first: .seconds(600), limit: .seconds(86_400))
    private static let retries = BackOff(first: .seconds(2))

    /// - Parameter now: when the first sync ended.
    init(now: Date) {
        nextDaily = now.addingTimeInterval(Self.day)
        nextEdits = now
        nextListing = now.adding(Self.listings.ceiling(afterFailures: 1))
    }

    /// The sync that is due; `nil` if none is.
    ///
    /// - Parameter hasMissingLists: whether lists are missing that only a sync of all kinds requests again.
    func due(at now: Date, hasEdits: Bool, hasMissingLists: Bool = false) -> WatchSync? {
        if requestedAt != nil { return nextPoll == nil ? .daily : .poll }
        if let notBefore, !Self.isPast(notBefore, at: now, longest: longestRetry) { return nil }
        if let nextPoll, Self.isPast(nextPoll, at: now, longest: pollInterval ?? .zero) { return .poll }
        if Self.isPast(nextDaily, at: now, longest: .seconds(Self.day)) { return .daily }
        if hasMissingLists, Self.isPast(nextListing, at: now, longest: Self.listings.limit) { return .daily }
        return hasEdits && Self.isPast(nextEdits, at: now, longest: Self.pushes.limit) ? .edits : nil
    }

    /// Whether a time has come. A time further ahead than any wait was computed before the clock was set back, so it has come.
    ///
    /// - Parameter longest: the longest possible wait for such a time.
    private static func isPast(_ time: Date, at now: Date, longest: Duration) -> Bool {
        let wait = time.timeIntervalSince(now)
        return wait <= 0 || wait > longest / .seconds(1) + 60
    }

    /// Polls at this interval from now on; `nil` ends polling.
    mutating func poll(every interval: Duration?, from now: Date) {
        pollInterval = interval
        nextPoll = interval.map(now.adding)
    }

    /// Makes the next poll, or the daily sync if events are followed, due now.
    ///
    /// If a sync runs at the moment, another one follows it: the running one may have read the data before it changed.
    mutating func requestSync(_ now: Date) { requestedAt = now }

    /// Records that a sync begins, before it reads anything.
    mutating func began() { requestedAt = nil }

    /// Records that a sync has succeeded. It also replaces every other sync that was due when it began.
    ///
    /// - Parameters:
    ///   - hasEdits: whether local edits still wait.
    ///   - hasMissingLists: whether lists are still missing.
    mutating func succeeded(at now: Date, hasEdits: Bool, hasMissingLists: Bool = false) {
        failures = 0
        notBefore = nil
        nextDaily = now.addingTimeInterval(Self.day)
        nextPoll = pollInterval.map(now.adding)
        failedListings = hasMissingLists ? failedListings + 1 : 0
        nextListing = now.adding(Self.listings.ceiling(afterFailures: max(1, failedListings)))
        failedPushes = hasEdits ? failedPushes + 1 : 0
        nextEdits = now.adding(Self.pushes.ceiling(afterFailures: max(1, failedPushes)))
    }

    /// Records that a sync failed for a temporary reason.
    ///
    /// - Parameters:
    ///   - random: in `0..<1`, for jitter.
    ///   - until: no sync begins before this time, because the source allows no requests. Default: only the growing interval
    ///     counts.
    mutating func failed(at now: Date, random: Double, until: Date? = nil) {
        failures += 1
        let delay = Self.retries.delay(afterFailures: failures, random: random)
        let retry = max(now.adding(delay), until ?? .distantPast)
        notBefore = retry
        longestRetry = max(Self.retries.limit, .seconds(retry.timeIntervalSince(now)))
    }

    /// When the next poll or daily sync is due.
    var next: Date {
        if let requestedAt { return requestedAt }
        let due = min(nextPoll ?? nextDaily, nextDaily)
        return max(due, notBefore ?? due)
    }
}

extension Date {
    func adding(_ duration: Duration) -> Date { addingTimeInterval(duration / .seconds(1)) }
}

/// Computes the interval of polls from the cost of the last one.
///
/// | quantity | limit |
/// |---|---|
/// | share of time spent on polls | at most 1 % |
/// | requests a minute | at most 6 |
/// | the interval itself | at least the chosen one, at most a day |
extension WatchWay {
    /// For a described source, ``SourceInterval`` decides.
    ///
    /// - Parameters:
    ///   - last: the last poll; `nil` before the first.
    ///   - least: the interval that was chosen for the watch.
    func interval(after last: SyncSummary?, least: Duration) -> Duration {
        if self == .source, let last, let pace = last.pace {
            return SourceInterval.after(
                requests: last.requests.sent, seconds: last.seconds - last.requests.waited / .seconds(1),
                pace: pace, least: least)
        }
        let seconds = last.map { max($0.seconds / 0.01, Double($0.requests.sent) * 60 / 6) } ?? assumed
        // Limited before the conversion, which would overflow for an enormous cost.
        return max(least, .seconds(Int(min(max(0, seconds), 86_400).rounded(.up))))
    }

    /// The interval in seconds before the first poll: as for about 10,000 unchanged objects.
    private var assumed: Double {
        switch self {
        case .events, .since: 100
        case .validators: 300
        case .tree, .source: 3_600
        }
    }
}
