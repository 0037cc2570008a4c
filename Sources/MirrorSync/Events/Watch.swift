import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// Keeps one mirror current until it is stopped: one sync, then feeds of events, or syncs at intervals where there are none.
///
/// ```swift
/// let watch = Watch(partner: "louvre", folder: folder) { base, cache in try InterceptableSession(…) }
/// let running = Task { try await watch.run(WatchObserver(handler: { print($0) })) }
/// …
/// running.cancel()
/// try await running.value
/// ```
///
/// Made like a ``Sync``; a value of its own for each mirror, and as many in one process as there are mirrors. It holds the
/// mirror's watch lock as long as it runs, and the run lock only while something is stored, so that other commands can
/// work on the mirror beside it.
public final class Watch: Sendable {
    public let partner: String
    public let folder: MirrorFolder
    public let interval: Duration
    let setting: WatchSetting
    private let engine: Mutex<WatchEngine?> = Mutex(nil)
    private let hasRun = Atomic(false)

    /// - Parameters:
    ///   - base: the origin's; `nil` for the one that is remembered.
    ///   - options: of all its syncs, and which pictures follow.
    ///   - interval: from one asking of a feed to the next. Default 30 s, at least 1 s. Without events, the least time from
    ///     one sync to the next.
    ///   - now: the wall clock, for what is written down.
    ///   - clock: what ticks are measured with. Default: the system's, from `now` on.
    ///   - random: numbers in `0..<1`, for back-off.
    ///   - makeSession: as for ``Sync``: called for each sync, and once for the feeds.
    public init(
        partner: String, folder: MirrorFolder, base: String? = nil, isNewOrigin: Bool = false,
        options: SyncOptions = SyncOptions(), interval: Duration = .seconds(30), keepAwake: KeepAwake? = nil,
        freeSpace: FreeSpace = .system, logger: Logger = Logger(label: "mirror.watch"),
        now: @escaping @Sendable () -> Date = { Date() }, clock: LoopClock? = nil,
        executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        makeSession:
            @escaping @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    ) {
        self.partner = partner
        self.folder = folder
        self.interval = max(interval, .seconds(1))
        setting = WatchSetting(
            partner: partner, folder: folder, base: base, isNewOrigin: isNewOrigin, options: options,
            interval: max(interval, .seconds(1)), keepAwake: keepAwake, freeSpace: freeSpace, logger: logger,
            now: now, clock: clock ?? .continuous(startingAt: .seconds(now().timeIntervalSince1970)),
            executor: executor, random: random, makeSession: makeSession)
    }

    /// Watches until its task is cancelled: then what runs is ended or cancelled, nothing is stored any more, and it
    /// returns. May be called once.
    ///
    /// What may pass is no reason to end, at the start neither: a server that can't be reached or is in trouble, another run
    /// that holds the mirror's lock, a full disk; nor, once a sync has gone well, that the partner is suddenly unknown there
    /// or the login refused. It is tried again for ever, at growing intervals up to half an hour.
    ///
    /// - Throws: what only a person can mend: ``SyncError`` with `unknownPartner` or `notAuthorised` at the first sync,
    ///   `otherOrigin`;
    ///   ``StoreError`` with `locked` if the mirror is watched already, `newerVersion`, `damaged`, `readOnly` and the like.
    public func run(_ observer: WatchObserver = WatchObserver()) async throws {
        guard !hasRun.exchange(true, ordering: .relaxed) else { return }
        let engine = WatchEngine(setting, observer)
        self.engine.withLock { $0 = engine }
        try await engine.run()
    }

    /// Asks all feeds now, or polls; whatever their back-off says; tries the first sync again at once if it waits to be.
    public func pollNow() { engine.withLock { $0 }?.pollNow() }

    /// How it stands; at any time, from any task.
    public var status: WatchStatus { engine.withLock { $0 }?.status ?? WatchStatus() }
}
