import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Decides whether a measured offset of the server's clock is its current one: a pure function.
///
/// If the server's clock was ahead once, dates are stored that are later than all dates in its present answers. They may be
/// removed only if the clock was certainly set back. Old answers from an intermediate cache look the same.
///
/// The offset is the number of seconds by which the server's clock is ahead of this computer's.
///
/// | measured offset, compared with the remembered one | is current |
/// |---|---|
/// | the same or larger | yes |
/// | smaller and close to zero, and the remembered one was not | yes: the remembered one was wrong |
/// | smaller, in a run that bypasses all caches (`--full`) | yes |
/// | smaller otherwise | no |
enum ServerClock {
    /// Seconds: more than clocks usually drift, and than intermediate caches keep answers without an `Age`.
    static let drift = 240.0
    /// Seconds: `Date` has whole seconds, and answers take time to arrive.
    private static let jitter = 5.0

    static func isPresent(_ measured: Double, remembered: Double, isReload: Bool) -> Bool {
        isReload || measured >= remembered - jitter || abs(measured) <= drift && abs(remembered) > drift
    }
}

extension SyncEnvironment {
    /// The server's current time: this computer's clock plus the measured or remembered offset.
    func serverTime() throws -> Date {
        now().addingTimeInterval(try report.current.clockOffset ?? store.clockOffset)
    }

    /// The offset of the server's clock in seconds: measured in this run, and remembered from earlier ones.
    ///
    /// - Returns: `nil` if this run has not measured it yet.
    func clockOffsets() throws -> (now: Double, before: Double)? {
        try report.current.clockOffset.map { ($0, try store.clockOffset) }
    }

    /// Stores the measured offset for later runs.
    func rememberClock() throws {
        if let measured = report.current.clockOffset { try store.noteClockOffset(measured) }
    }

    /// Measures the server's clock from an answer. If the clock was set back, stored dates ahead of it are removed: otherwise
    /// all future answers would look older than they are.
    ///
    /// - Throws: ``SyncError`` if the store can't be written.
    func measured(_ answer: some RequestAnswer) throws {
        // Only an answer that came directly from the server has its current time.
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

    /// Handles an answer from a cache that may be older than the server's version.
    ///
    /// An answer with another ETag than the announced one is stale, which is reported. If no ETag was announced, changes since
    /// the answer was made may be missing.
    ///
    /// - Parameters:
    ///   - announced: the ETag of the server's current version; `nil` if it announced none.
    ///   - known: the ETag of the stored version, which the request named.
    ///   - what: the answer, for a message: `its artworks`.
    func checkStaleness(
        of answer: some RequestAnswer, announced: String?, known: String? = nil, _ kind: Kind, _ id: String,
        _ what: String
    ) async throws {
        guard answer.isKept else { return }
        let isStale = answer.isStale(announced: announced, known: known)
        if isStale { report.stale(kind, id, what) }
        guard isStale || announced == nil else { return }
        // Without a `Date`, the time of receipt is used (RFC 9110, section 6.6.1).
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
    /// Reports an answer from a cache that is older than the version that the server announced.
    func stale(_ kind: Kind, _ id: String, _ what: String) {
        note { _ = $0.outdated.insert(kind) }
        problem(
            Problem(
                what: "older answer", kind: kind.name, id: id,
                message:
                    "A cache between here and the server answered with an old version of \(what). The next sync requests it again."
            ))
    }

    /// Notes a date of the server. Delayed and cached answers have dates behind its clock, so the largest offset is kept.
    func measured(_ date: Date, at now: Date) {
        let offset = date.timeIntervalSince(now)
        note { $0.clockOffset = max($0.clockOffset ?? offset, offset) }
    }
}

extension SyncReport.State {
    /// Kinds that may have stale objects although they look current. A `304` on their lists doesn't prove that everything is
    /// stored.
    var doubtful: Set<Kind> {
        outdated.union(oldest.filter { kind, date in date < listDates[kind] ?? .infinity }.keys)
    }
}
