import Catalogue
import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import OperationTree

/// One sync of one mirror: builds the tree, runs it, and hands the outcome to the store's Deleter.
///
/// 1. The hooks before the run: lock, database, log, free space (``SyncHooks``).
/// 2. The tree (``SyncTree``), whose steps ask the partner's server and hand what it says to the ``Applier``.
/// 3. Lists that named what then was not found are asked once more, and what is new in them is fetched (``SecondLook``).
/// 4. The end: memberships are joined, the guard is asked, what no complete list names is swept.
/// 5. The hooks after it: search index, files, on-change, log.
///
/// Idempotent: with a server at rest a second run changes nothing. Killed at any instant, the next run goes on from
/// what was committed.
public struct Sync: Sendable {
    public let partner: String
    public let folder: MirrorFolder
    /// The origin's base; `nil` for the one that is remembered.
    public internal(set) var base: String?
    /// Whether ``base`` may be on another host than the one that is remembered.
    public internal(set) var isNewOrigin: Bool
    public internal(set) var options: SyncOptions
    public let onChange: OnChangeCommand?
    /// Keeps the machine awake meanwhile; `nil`, the default, for an app that sees to that itself.
    public let keepAwake: KeepAwake?
    let freeSpace: FreeSpace
    /// Makes the session once the origin and the cache are known.
    let makeSession: @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    let now: @Sendable () -> Date
    let logger: Logger
    /// Set in a run on behalf of a feed of events that knows too little.
    var refresh: RefreshOrder?
    /// What it works with; `nil`, the default, opens the files in the mirror's folder and closes them behind it.
    package var lent: LentFiles?
    /// Takes the run lock; a watch has one for all that it does.
    var takeLock: @Sendable (MirrorFolder) throws -> RunHold = { try RunLock($0) }
    /// How downloaded files get to the disk.
    package var disk = DiskSync.system

    /// - Parameter makeSession: the transport, interceptors and clock are chosen here.
    public init(
        partner: String, folder: MirrorFolder, base: String? = nil, isNewOrigin: Bool = false,
        options: SyncOptions = SyncOptions(), onChange: OnChangeCommand? = nil, keepAwake: KeepAwake? = nil,
        freeSpace: FreeSpace = .system,
        logger: Logger = Logger(label: "mirror.sync"), now: @escaping @Sendable () -> Date = { Date() },
        makeSession:
            @escaping @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    ) {
        self.partner = partner
        self.folder = folder
        self.base = base
        self.isNewOrigin = isNewOrigin
        self.options = options
        self.onChange = onChange
        self.keepAwake = keepAwake
        self.freeSpace = freeSpace
        self.logger = logger
        self.now = now
        self.makeSession = makeSession
    }

    /// Runs the sync to its end.
    ///
    /// - Parameter monitor: sees how far it is, from any task, and is told of every item and problem.
    /// - Returns: how it ended; also after a failure of the run itself.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin.
    public func run(_ monitor: SyncMonitor = SyncMonitor()) async throws -> SyncSummary {
        let context = HookContext(
            command: refresh == nil ? "sync" : HookContext.refresh, partner: partner, folder: folder,
            onChange: onChange, keepAwake: keepAwake,
            freeSpace: freeSpace, lent: lent, now: now, takeLock: takeLock,
            admit: { _ = try settle(in: $0) })
        return try await SyncHooks.around(context) { problem in
            monitor.problem(problem)
        } work: {
            do {
                return try await work(in: context.store, as: context.run, cache: lent?.cache, monitor) {
                    // Of the two files each has to wait for the disk, and neither for the other.
                    options.synchronous ? $0() : context.doAside($0)
                }
            } catch {
                return SyncSummary(partner: partner, failure: error)
            }
        }
    }

    /// - Throws: ``SyncError`` if there is no origin, or one that must not take the place of the one that is remembered.
    private func settle(in store: CatalogueStore) throws -> Origins.Settled {
        try Origins(store: store, isNewOrigin: isNewOrigin, caFile: options.caFile).settle(base, for: partner)
    }

    /// Bytes: those of the objects of a few million artworks. Whatever didn't fit would be fetched again each time.
    static let cacheCapacity = 8 << 30

    /// What is between the hooks, for whoever has the lock, the open store and the run's row already.
    ///
    /// - Parameters:
    ///   - cache: of the origin; `nil` opens the one in the mirror's folder.
    ///   - close: closes that one, before the lock is let go of, under which alone its file may be open.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin.
    package func work(
        in store: CatalogueStore, as run: Int64, cache: CanonicalURLCache? = nil,
        _ monitor: SyncMonitor = SyncMonitor(),
        close: (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) async throws -> SyncSummary {
        let origin = try settle(in: store)
        let isOwn = cache == nil
        let cache =
            cache
            ?? CanonicalURLCache(
                file: URL(fileURLWithPath: folder.cache), origin: origin.base,
                diskCapacity: Self.cacheCapacity)
        defer { isOwn ? close { cache.close() } : cache.flush() }
        let session = try makeSession(origin.base, cache)
        session.limitWaits(to: options.maxWait)
        let report = SyncReport()
        let files = FileStore(folder: folder.path, disk: disk)
        let applier = Applier(
            store: store, run: run, report: report, now: now, files: files, flushCache: { cache.flush() },
            check: { [refresh] in try refresh?.ticket.check() },
            // The monitor has the tree's run, and that what this is a part of.
            observe: { [weak monitor] in monitor?.applied($0, $1) })
        let environment = SyncEnvironment(
            partner: partner, store: store, files: files, sender: SessionSender(session), applier: applier,
            report: report,
            options: options, run: run, hasLists: try store.hasLists(), originChanged: origin.originChanged,
            freeSpace: freeSpace, logger: logger, now: now,
            recognised: {
                if origin.originChanged { cache.removeAllCachedResponses() }
                try origin.remember(in: store)
            })
        if options.media { try forgetLostFiles(in: store) }
        var loop = PullLoop(environment: environment, origin: origin, applier: applier, monitor: monitor)
        loop.refresh = refresh
        var summary = try await loop.run()
        summary.run = run
        for problem in summary.problems + report.current.problems.filter(\.isNotice) {
            monitor.problem(problem)
        }
        monitor.updatedByList(summary.updatedByList)
        monitor.deleted(try SyncEnding.deletions(environment))
        try store.checkPlace()
        return summary
    }

    private func forgetLostFiles(in store: CatalogueStore) throws {
        let lost = try LostFiles(store, in: folder, now: now()).forget()
        guard lost > 0 else { return }
        logger.notice(
            "\(lost) files of pictures and documents are not there any more, and are fetched again.")
    }
}
