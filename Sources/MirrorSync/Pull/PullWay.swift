import Foundation
import MirrorStore

/// How a kind is brought up to date: the cheapest way that is safe.
package enum PullWay: Sendable, Hashable {
    /// By what changed since that date.
    case since(String)
    /// With everything at once.
    case snapshot
    /// By the whole list, with validators where the server has them, and a sweep of what it doesn't name.
    case lists(Reason)

    /// Why the whole list is looked at.
    package enum Reason: String, Sendable, Hashable {
        /// The server doesn't say what changed since a date.
        case notOffered = "not_offered"
        /// A person asked for everything.
        case forced
        /// Nothing was stored from this server yet.
        case newOrigin = "new_origin"
        /// No complete sync has stored a date yet.
        case first
        case tooOld = "too_old"
        /// The stored date lies ahead of the server's clock.
        case ahead
        /// Changes alone were trusted long enough.
        case audit
        /// The server's clock was set back since the last run: what changed after that has dates from before the stored one.
        case clock
        /// Other pictures are wanted than last time.
        case media
        /// The feed of events no longer tells what changed of it.
        case refresh
        /// So much was deleted, the server says, that the guard wants to see it in the list, too.
        case deletions
        /// The server refused, or its answer could not be taken.
        case refused
    }

    /// `since`, or `lists (reason)`.
    package var text: String {
        switch self {
        case .since: "since"
        case .snapshot: "snapshot"
        case .lists(let reason): "lists (\(reason.rawValue))"
        }
    }

    package var isSince: Bool { if case .since = self { true } else { false } }
}

/// What the way is chosen from.
struct PullWayChoice {
    let isOffered: Bool
    let options: SyncOptions
    let isNewOrigin: Bool
    /// The local time corrected by the last measured offset.
    let serverTime: Date
    let now: Date
    /// By how much the server's clock is ahead now and was when that was last measured, in seconds; `nil` if not known.
    var offsets: (now: Double, before: Double)? = nil

    /// - Parameter isAudited: whether the server's digest has taken the place of an audit.
    func way(_ stored: SinceRecord?, isAudited: Bool = false) -> PullWay {
        guard isOffered else { return .lists(.notOffered) }
        if options.full { return .lists(.forced) }
        if isNewOrigin { return .lists(.newOrigin) }
        guard let stored, let since = stored.since else { return .lists(.first) }
        switch SinceRule.judge(since, serverTime: serverTime) {
        case .missing: return .lists(.first)
        case .tooOld: return .lists(.tooOld)
        case .ahead: return .lists(.ahead)
        case .ask: break
        }
        if isSetBack { return .lists(.clock) }
        guard isAudited || isRecent(stored.auditedAt) else { return .lists(.audit) }
        if let wanted = options.mediaKey, wanted != stored.formats { return .lists(.media) }
        if options.revalidateMedia { return .lists(.forced) }
        return .since(since)
    }

    /// Whether a stored date may be later than changes that the server makes from now on. It will not be right when time has
    /// passed it by, either, whichever way is taken now.
    func isVoid(_ stored: SinceRecord?) -> Bool {
        guard let since = stored?.since else { return false }
        return isSetBack || SinceRule.judge(since, serverTime: serverTime) == .ahead
    }

    /// What clocks drift is less than the overlap with which is asked.
    private var isSetBack: Bool {
        offsets.map { $0.before - $0.now > ServerClock.drift } ?? false
    }

    private func isRecent(_ audited: Date?) -> Bool {
        guard let audited, audited <= now else { return false }
        return now.timeIntervalSince(audited) < options.auditEvery / .seconds(1)
    }
}
