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
    /// Takes down what an answer says of the server's clock. Where that went back, dates of before that lie ahead of it are
    /// forgotten: of what the server says from now on nothing is older than they.
    ///
    /// - Throws: ``SyncError`` if the store can't be written.
    func measured(_ fetched: Fetched) throws {
        report.measured(fetched, at: now())
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
}
