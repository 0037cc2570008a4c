import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Whether what a run measures of the server's clock is the server's present: a pure decision.
///
/// A clock that was ahead once leaves dates behind that are later than anything the server answers now. They may be forgotten
/// only where it is certain that the clock went back: something on the way that answers with what it had kept looks alike.
///
/// | measured, against what the last run remembered | is the present |
/// |---|---|
/// | as far ahead as then, or further | yes |
/// | less far ahead, and right by this computer's clock, which that was not | yes: what was remembered was wrong |
/// | less far ahead, and a person asked for everything past all caches | yes |
/// | less far ahead otherwise | no; the next run finds the same, if it is the clock |
///
/// All are seconds by which the server's clock is ahead of this computer's.
enum ServerClock {
    /// Within what clocks drift, and what is kept on the way without a word of its age.
    static let drift = 240.0
    /// `Date` has whole seconds, and answers take their time.
    private static let jitter = 5.0

    static func isPresent(_ measured: Double, remembered: Double, isReload: Bool) -> Bool {
        isReload || measured >= remembered - jitter || abs(measured) <= drift && abs(remembered) > drift
    }
}

extension SyncEnvironment {
    /// What the server's clock says, as far as it is known.
    func serverTime() throws -> Date {
        now().addingTimeInterval(try report.current.clockOffset ?? store.clockOffset)
    }

    /// How far the server's clock is ahead, in seconds: as measured in this run, and as remembered from earlier ones.
    func clockOffsets() throws -> (now: Double, before: Double)? {
        try report.current.clockOffset.map { ($0, try store.clockOffset) }
    }

    func rememberClock() throws {
        if let measured = report.current.clockOffset { try store.noteClockOffset(measured) }
    }

    /// Notes what an answer says of the server's clock. Where that went back, dates of before that lie ahead of it are
    /// forgotten: of what the server says from now on nothing is older than they.
    ///
    /// - Throws: ``SyncError`` if the store can't be written.
    func measured(_ answer: some RequestAnswer) throws {
        // Only an answer that came straight from the server says what its clock is now.
        if let date = answer.head.date, answer.head.source == .network, answer.head.age == 0 {
            report.measured(date, at: now())
        }
        guard !report.current.isClockSettled else { return }
        do {
            guard let offsets = try clockOffsets(),
                ServerClock.isPresent(offsets.now, remembered: offsets.before, isReload: options.full)
            else { return }
            try store.forgetDates(after: now().timeIntervalSince1970 + offsets.now + ServerClock.drift)
        } catch let error as StoreError {
            throw SyncError(error)
        }
        report.note { $0.isClockSettled = true }
    }

    /// Notes what follows from an answer that something on the way had kept, and that may be older than what the server has.
    ///
    /// One that is another version is older, which is reported. Where nothing was said of the version, whatever changed since
    /// the answer was made may be missing.
    ///
    /// - Parameters:
    ///   - announced: the ETag that the server is known to have; `nil` if it said none.
    ///   - known: the ETag that the request named as stored.
    ///   - what: the answer, for a message: `its artworks`.
    func checkStaleness(
        of answer: some RequestAnswer, announced: String?, known: String? = nil, _ kind: Kind, _ id: String,
        _ what: String
    ) async throws {
        guard answer.isKept else { return }
        let isStale = answer.isStale(announced: announced, known: known)
        if isStale { report.stale(kind, id, what) }
        guard isStale || announced == nil else { return }
        // When it was received, where it has no `Date` (RFC 9110, section 6.6.1).
        let madeAt = answer.madeAt(date: try answer.head.date ?? serverTime())
        let (isUnclean, isOldest) = report.note { state in
            guard !isStale else { return (true, false) }
            let isOldest = madeAt < state.oldest[kind] ?? .infinity
            if isOldest { state.oldest[kind] = madeAt }
            return (madeAt < state.listDates[kind] ?? .infinity, isOldest)
        }
        guard !isUnlisted else { return }
        if isUnclean, hasValidators, report.note({ $0.unclean.insert(kind).inserted }) {
            try await applier.submit(.unclean(kind: kind))
        }
        if isOldest {
            try await applier.submit(.mayLack(kind: kind, since: SinceRule.reaching(back: madeAt).text))
        }
    }
}

extension SyncReport {
    /// Notes an answer that something on the way gave from its store, and that is another than the one that the server has
    /// just said to have.
    func stale(_ kind: Kind, _ id: String, _ what: String) {
        note { _ = $0.outdated.insert(kind) }
        problem(
            Problem(
                what: "older answer", kind: kind.name, id: id,
                message:
                    "Something on the way answered with an earlier version of \(what) than the server has. The next sync asks again."
            ))
    }

    /// Notes a date of the server's. What was kept on its way, or took long, is behind the clock: the latest counts.
    func measured(_ date: Date, at now: Date) {
        let offset = date.timeIntervalSince(now)
        note { $0.clockOffset = max($0.clockOffset ?? offset, offset) }
    }
}

extension SyncReport.State {
    /// Kinds of which something that is taken for current may be from before their lists: a `304` on such a list doesn't tell
    /// that all is here.
    var doubtful: Set<Kind> {
        outdated.union(oldest.filter { kind, date in date < listDates[kind] ?? .infinity }.keys)
    }
}
