import Catalogue
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

    var isSince: Bool { if case .since = self { true } else { false } }
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
        if let reason = SinceRule.reasonToList(since, serverTime: serverTime) { return .lists(reason) }
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
        return isSetBack || SinceRule.reasonToList(since, serverTime: serverTime) == .ahead
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

extension SyncEnvironment {
    /// What the way of a kind is chosen from in this run.
    func wayChoice(of kind: Kind, isNewOrigin: Bool) throws -> PullWayChoice {
        PullWayChoice(
            isOffered: source.changes(of: kind, since: "") != nil, options: options, isNewOrigin: isNewOrigin,
            serverTime: try serverTime(), now: now(), offsets: try clockOffsets())
    }
}

/// Whether a stored date may be asked with, and which is stored next. All times are the server's.
///
/// | stored date | answer |
/// |---|---|
/// | none | everything is fetched |
/// | more than two calendar months before the server's time | everything: servers prove three months, and clocks differ |
/// | after the server's time | everything: a clock was wrong when it was stored |
/// | else | what changed since |
enum SinceRule {
    /// How far the next date lies before the answer's own: what was being written while it was made is seen again.
    static let overlap: TimeInterval = 300

    /// What to ask with where something that is here was made so early, in seconds since 1970.
    static func reaching(back madeAt: Double) -> Timestamp { Timestamp(seconds: Int(madeAt - overlap)) }

    /// Why the whole list has to be looked at; `nil` if changes may be asked for.
    ///
    /// - Parameters:
    ///   - since: the stored date; text that can't be read counts as none.
    ///   - serverTime: the answer's `Date`, or before there is one, the local time corrected by the last measured offset.
    static func reasonToList(_ since: String?, serverTime: Date) -> PullWay.Reason? {
        guard let stored = since.flatMap({ Timestamp($0) }) else { return .first }
        let now = Timestamp(seconds: Int(serverTime.timeIntervalSince1970.rounded(.down)))
        // `Date` has whole seconds.
        if stored >= Timestamp(seconds: now.seconds + 1) { return .ahead }
        return stored < now.earlier(months: 2) ? .tooOld : nil
    }

    /// The date to store after an answer: the server's less the overlap, else the latest change that was seen, else
    /// what was stored before.
    ///
    /// Never earlier than what was just asked with, nor than the end of the changes that the answer has: the server
    /// vouches for both, while it might be too young to know of an earlier time.
    static func next(
        date: Date?, latestChange: Timestamp?, before: String?, end: Timestamp? = nil
    ) -> String? {
        if let date {
            let next = Timestamp(seconds: Int(date.addingTimeInterval(-overlap).timeIntervalSince1970))
            // An end that lies ahead of the server's own clock says nothing.
            let known = end.flatMap { $0.secondsSince1970 < date.timeIntervalSince1970 + 1 ? $0 : nil }
            return [next, before.flatMap { Timestamp($0) }, known].compactMap { $0 }.max()?.text
        }
        guard let latestChange, latestChange >= before.flatMap({ Timestamp($0) }) ?? latestChange else {
            return before
        }
        return latestChange.text
    }
}

/// What is stored for the next pull of a kind when everything of this one came.
struct NextDate {
    let kind: Kind
    let stored: SinceRecord?
    /// Which media were wanted; `nil` for none.
    let media: String?
    let now: Date
    /// When the server made the oldest answer that a cache had kept and that nothing proved to be the latest, seconds since
    /// 1970: whatever changed since then may be missing.
    var oldest: Double?

    /// - Parameters:
    ///   - pulled: what changed, if the kind was pulled.
    ///   - list: when the server made the kind's whole list, if that was looked at.
    ///   - end: the moment behind the last change that the list has, where the server said so.
    ///   - isAudited: whether the server's digest took the place of the whole list.
    func after(
        _ pulled: PulledChanges?, list: Double?, end: Timestamp? = nil, isAudited: Bool = false
    ) -> FinishRequest.Since? {
        if let pulled {
            let next = SinceRule.next(
                date: pulled.date, latestChange: pulled.latestChange, before: pulled.since, end: pulled.end)
            // Of what changed, no pictures came: the next run that wants some looks at everything.
            let formats = media == nil && !pulled.isEmpty ? nil : stored?.formats
            return record(next, auditedAt: isAudited ? now : stored?.auditedAt, formats)
        }
        guard let list else { return nil }
        let date = Date(timeIntervalSince1970: list)
        return record(
            SinceRule.next(date: date, latestChange: nil, before: nil, end: end), auditedAt: now, media)
    }

    private func record(_ next: String?, auditedAt: Date?, _ formats: String?) -> FinishRequest.Since {
        (kind, SinceRecord(since: capped(next), auditedAt: auditedAt, formats: formats))
    }

    private func capped(_ next: String?) -> String? {
        guard let oldest, let next = next.flatMap({ Timestamp($0) }) else { return next }
        return min(next, SinceRule.reaching(back: oldest)).text
    }
}
