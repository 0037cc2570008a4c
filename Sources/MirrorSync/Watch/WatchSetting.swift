import Foundation
import MirrorStore
import PeriodicLoops

/// What a watch was made with, and what all of its parts share.
struct WatchSetting: Sendable {
    /// Its first sync; later ones differ in little.
    let firstSync: Sync
    let interval: Duration
    let clock: LoopClock
    var executor: (any TaskExecutor)?
    let random: @Sendable () -> Double
    var observer = WatchObserver()
    let lock = SharedRunLock()
    let tally = WatchTally()

    var partner: String { firstSync.partner }
    var folder: MirrorFolder { firstSync.folder }
    var options: SyncOptions { firstSync.options }
    var now: @Sendable () -> Date { firstSync.now }

    /// A sync of the watched mirror.
    func sync(_ options: SyncOptions, isFirst: Bool = false) -> Sync {
        var sync = firstSync
        sync.options = options
        // The first sync settles the origin.
        if !isFirst { (sync.base, sync.isNewOrigin) = (nil, false) }
        sync.takeLock = { [lock] in try lock.take($0) }
        return sync
    }

    /// Runs a sync, and tells the observer.
    ///
    /// - Returns: how it ended, also if it could not begin.
    func run(_ reason: WatchSync) async -> SyncSummary {
        let monitor = observer.monitor(reason)
        observer.handler(.syncBegan(reason))
        var summary: SyncSummary
        do {
            summary = try await sync(options, isFirst: reason == .first).run(monitor)
        } catch {
            summary = SyncSummary(partner: partner, failure: error)
        }
        if summary.cause is CancellationError { summary.outcome = .cancelled }
        observer.handler(.syncEnded(reason, summary))
        return summary
    }
}

/// Whether a watch goes on after a sync.
enum WatchVerdict: Sendable {
    case goesOn
    /// The sync failed in a way that may pass.
    case retries
    /// Only a person can fix it.
    case ends(any Error)
    case cancelled

    /// - Parameter isKnown: whether the mirror has come from this server before. Then "no such partner" says
    ///   less about the partner than about what stands in front of it, and may pass.
    init(_ summary: SyncSummary, isKnown: Bool) {
        switch summary.outcome {
        case .complete, .partial, .guarded: self = .goesOn
        case .cancelled: self = .cancelled
        case .failed: self = summary.cause.map { Self.judge($0, isKnown: isKnown) } ?? .retries
        }
    }

    private static func judge(_ error: any Error, isKnown: Bool) -> WatchVerdict {
        switch error {
        case let error as SyncError:
            switch error.code {
            case .unknownPartner: isKnown ? .retries : .ends(error)
            case .notAuthorised, .otherOrigin, .catalogue: .ends(error)
            default: (error.cause as? StoreError).map { judge($0, isKnown: isKnown) } ?? .retries
            }
        case let error as StoreError:
            switch error.code {
            case .locked, .diskFull, .unexpected: .retries
            default: .ends(error)
            }
        case is CancellationError: .cancelled
        default: .retries
        }
    }
}
