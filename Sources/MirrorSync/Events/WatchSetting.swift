import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import PeriodicLoops

/// What a watch was made with.
struct WatchSetting: Sendable {
    let partner: String
    let folder: MirrorFolder
    let base: String?
    let isNewOrigin: Bool
    let options: SyncOptions
    let interval: Duration
    let keepAwake: KeepAwake?
    let freeSpace: FreeSpace
    let logger: Logger
    let now: @Sendable () -> Date
    let clock: LoopClock
    let executor: (any TaskExecutor)?
    let random: @Sendable () -> Double
    let makeSession: @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    /// What its syncs and loops work with; `nil` opens the files in the mirror's folder.
    var lent: SharedConnections?
}

extension WatchSetting {
    /// A sync of the watched mirror.
    func sync(_ options: SyncOptions, lock: SharedRunLock, isFirst: Bool = false) -> Sync {
        // What a person said of the origin is settled with the first sync.
        var sync = Sync(
            partner: partner, folder: folder, base: isFirst ? base : nil, isNewOrigin: isFirst && isNewOrigin,
            options: options, keepAwake: keepAwake, freeSpace: freeSpace, logger: logger, now: now,
            makeSession: makeSession)
        sync.lent = lent
        sync.takeLock = { try lock.take($0) }
        return sync
    }
}
