import Catalogue
import Foundation
import MirrorStore

/// The way in which a kind is brought up to date: the cheapest that is safe.
package enum PullWay: Sendable, Hashable {
    /// The server reports what changed since this date.
    case since(String)
    /// The server sends everything in one answer.
    case snapshot
    /// The full list is requested, with validators if the server has them. Objects that it doesn't name are deleted.
    case lists(Reason)

    /// Why the full list is requested.
    package enum Reason: String, Sendable, Hashable {
        /// The server has no `since` extension.
        case notSupported = "not_offered"
        /// The options demand it (`--full`, or a new check of all files).
        case forced
        /// Nothing was stored from this server yet.
        case newOrigin = "new_origin"
        /// No complete sync has stored a date yet.
        case first
        /// The stored date is more than two months old.
        case tooOld = "too_old"
        /// The stored date is later than the server's current time.
        case ahead
        /// The last audit is too long ago.
        case audit
        /// The server's clock was set back since the last run, so later changes may have dates before the stored one.
        case clock
        /// The wanted picture formats are not those of the last run.
        case media
        /// The feed of events can't report the kind's changes.
        case refresh
        /// The server reported more deletions than the delete guard allows, so the list has to confirm them.
        case deletions
        /// The server refused the request by date, or its answer was unusable.
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

/// The facts from which a kind's way is chosen.
struct PullWayChoice {
    /// Whether the server reports changes since a date.
    let isOffered: Bool
    let options: SyncOptions
    let isNewOrigin: Bool
    /// The server's time: the local time plus the last measured offset.
    let serverTime: Date
    let now: Date
    /// The offset of the server's clock from the local one, now and at the measurement before, in seconds; `nil` if unknown.
    var offsets: (now: Double, before: Double)? = nil

    /// Chooses the way.
    ///
    /// - Parameter isAudited: whether the server's digest replaces an audit that is due.
    func way(_ stored: SinceRecord?, isAudited: Bool = false) -> PullWay {
        guard isOffered else { return .lists(.notSupported) }
        if options.full { return .lists(.forced) }
        if isNewOrigin { return .lists(.newOrigin) }
        guard let stored, let since = stored.since else { return .lists(.first) }
        if let reason = SinceRule.reasonToList(since, serverTime: serverTime) { return .lists(reason) }
        if isClockSetBack { return .lists(.clock) }
        guard isAudited || isRecent(stored.auditedAt) else { return .lists(.audit) }
        if let wanted = options.mediaKey, wanted != stored.formats { return .lists(.media) }
        if options.revalidateMedia { return .lists(.forced) }
        return .since(since)
    }

    /// Whether a stored date may be later than the dates of the server's next changes. Such a date must never be used, not
    /// even when the server's clock has passed it.
    func isUnreliable(_ stored: SinceRecord?) -> Bool {
        guard let since = stored?.since else { return false }
        return isClockSetBack || SinceRule.reasonToList(since, serverTime: serverTime) == .ahead
    }

    /// Whether the server's clock was set back by more than ordinary drift, which ``SinceRule/overlap`` covers.
    private var isClockSetBack: Bool {
        offsets.map { $0.before - $0.now > ServerClock.drift } ?? false
    }

    private func isRecent(_ audited: Date?) -> Bool {
        guard let audited, audited <= now else { return false }
        return now.timeIntervalSince(audited) < options.auditEvery / .seconds(1)
    }
}

extension SyncEnvironment {
    /// The facts from which a kind's way is chosen in this run.
    func wayChoice(of kind: Kind, isNewOrigin: Bool) throws -> PullWayChoice {
        PullWayChoice(
            isOffered: source.changes(of: kind, since: "") != nil, options: options, isNewOrigin: isNewOrigin,
            serverTime: try serverTime(), now: now(), offsets: try clockOffsets())
    }
}

/// Decides whether a stored date may be used for a request, and which date is stored next. All times are the server's.
///
/// | stored date | request |
/// |---|---|
/// | none | the full list |
/// | more than two calendar months before the server's time | the full list: servers keep deletions for three months, and clocks differ |
/// | after the server's time | the full list: a clock was wrong when the date was stored |
/// | any other | what changed since the date |
enum SinceRule {
    /// The next date is this many seconds before the answer's own, so that changes that were being written while the server
    /// made the answer are reported again.
    static let overlap: TimeInterval = 300

    /// The date to use if the oldest stored answer was made at that time, in seconds since 1970.
    static func reaching(back madeAt: Double) -> Timestamp { Timestamp(seconds: Int(madeAt - overlap)) }

    /// Why the full list has to be requested; `nil` if the date may be used.
    ///
    /// - Parameters:
    ///   - since: the stored date; unreadable text is treated as none.
    ///   - serverTime: the answer's `Date`; before there is an answer, the local time plus the last measured offset.
    static func reasonToList(_ since: String?, serverTime: Date) -> PullWay.Reason? {
        guard let stored = since.flatMap({ Timestamp($0) }) else { return .first }
        let now = Timestamp(seconds: Int(serverTime.timeIntervalSince1970.rounded(.down)))
        // `Date` has whole seconds.
        if stored >= Timestamp(seconds: now.seconds + 1) { return .ahead }
        return stored < now.earlier(months: 2) ? .tooOld : nil
    }

    /// The date to store after an answer: the server's date minus the overlap, else the latest reported change, else the date
    /// that was stored before.
    ///
    /// It is never earlier than the date of the request, nor than the end of the reported changes. The server has answered for
    /// both times, while it may have no data for an earlier time.
    static func next(
        date: Date?, latestChange: Timestamp?, before: String?, end: Timestamp? = nil
    ) -> String? {
        if let date {
            let next = Timestamp(seconds: Int(date.addingTimeInterval(-overlap).timeIntervalSince1970))
            // An end that is later than the server's own clock is ignored.
            let known = end.flatMap { $0.secondsSince1970 < date.timeIntervalSince1970 + 1 ? $0 : nil }
            return [next, before.flatMap { Timestamp($0) }, known].compactMap { $0 }.max()?.text
        }
        guard let latestChange, latestChange >= before.flatMap({ Timestamp($0) }) ?? latestChange else {
            return before
        }
        return latestChange.text
    }
}

/// Computes the date for the next pull of a kind, when this pull or list was complete.
struct NextDate {
    let kind: Kind
    let stored: SinceRecord?
    /// The wanted media; `nil` for none.
    let media: String?
    let now: Date
    /// When the server made the oldest answer that came from a cache unverified, in seconds since 1970. Changes after that
    /// time may be missing.
    var oldest: Double?

    /// The record to store; `nil` if the kind was neither pulled nor listed.
    ///
    /// - Parameters:
    ///   - pulled: the changes, if the kind was pulled.
    ///   - list: when the server made the kind's full list, in seconds since 1970; `nil` if it wasn't requested.
    ///   - end: the time up to which the list contains all changes, if the server reports it.
    ///   - isAudited: whether the server's digest replaced an audit.
    func after(
        _ pulled: PulledChanges?, list: Double?, end: Timestamp? = nil, isAudited: Bool = false
    ) -> FinishRequest.Since? {
        if let pulled {
            let next = SinceRule.next(
                date: pulled.date, latestChange: pulled.latestChange, before: pulled.since, end: pulled.end)
            // The changed objects' pictures were not downloaded, so the next run that wants pictures has to list everything.
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
