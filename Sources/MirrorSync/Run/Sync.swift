import Catalogue
import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import OperationTree

/// One sync of one mirror: builds the tree, runs it, and passes the outcome to the store's Deleter.
///
/// 1. The hooks before the run: lock, database, log, free space (``SyncHooks``).
/// 2. The tree (``SyncTree``): its steps send requests to the partner's server and submit the results to the ``Applier``.
/// 3. Lists whose objects were not found are requested again, and new objects in them are fetched (``RelistMissing``).
/// 4. The end: memberships are stored, the delete guard checks the deletions, and objects that no complete list contains are
///    swept.
/// 5. The hooks after the run: search index, files, on-change command, log.
///
/// Idempotent: if the server's data doesn't change, a second run changes nothing. If the process is killed, the next run
/// continues from the last commit.
public struct Sync: Sendable {
    /// The partner's slug.
    public let partner: String
    /// The mirror's folder.
    public let folder: MirrorFolder
    /// The origin's base address; `nil` for the remembered one.
    public internal(set) var base: String?
    /// Whether ``base`` may be on another host than the remembered one.
    public internal(set) var isNewOrigin: Bool
    /// What is fetched, and how much may be deleted.
    public internal(set) var options: SyncOptions
    /// A command that runs after a sync that changed something; `nil`, the default, for none.
    public let onChange: OnChangeCommand?
    /// The tree to walk; `nil`, the default, for the whole tree. Kinds that it doesn't list are not swept, and their since
    /// dates don't change.
    public let tree: Tree<String, SyncEnvironment>?
    /// An app's hooks. Before the tree they are called after the standard hooks, after the tree before them.
    public let hooks: [SyncHook]
    /// Keeps the machine awake during the run; `nil`, the default, for nothing.
    public let keepAwake: KeepAwake?
    let freeSpace: FreeSpace
    /// Makes the session when the origin and the cache are known.
    let makeSession: @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    let now: @Sendable () -> Date
    let logger: Logger
    /// Set if the run refreshes a mirror whose feed of events has a gap.
    var refresh: RefreshOrder?
    /// Open connections to use; `nil`, the default, opens the files in the mirror's folder and closes them at the end.
    package var sharedConnections: SharedConnections?
    /// Takes the run lock. A watch has its own, which it holds for all its runs.
    var takeLock: @Sendable (MirrorFolder) throws -> RunHold = { try RunLock($0) }
    /// How downloaded files are synchronised with the disk.
    package var disk = DiskSync.system

    /// A sync with a transport, logger or clock of its own; ``MirrorFolder`` makes one with the standard ones.
    ///
    /// - Parameters:
    ///   - tree: the tree to walk; ``SyncTree`` shows how an app makes one.
    ///   - hooks: called in this order before the tree, when the database is open, and in reverse order after it.
    ///   - makeSession: makes the session, with its transport, interceptors and clock.
    public init(
        partner: String, folder: MirrorFolder, base: String? = nil, isNewOrigin: Bool = false,
        options: SyncOptions = SyncOptions(), onChange: OnChangeCommand? = nil, keepAwake: KeepAwake? = nil,
        freeSpace: FreeSpace = .system, tree: Tree<String, SyncEnvironment>? = nil,
        hooks: [SyncHook] = [],
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
        self.tree = tree
        self.hooks = hooks
        self.logger = logger
        self.now = now
        self.makeSession = makeSession
    }

    /// Runs the sync to its end.
    ///
    /// - Parameter monitor: shows the progress to any task, and receives every item and problem.
    /// - Returns: how it ended; also after a failure of the run itself.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin.
    public func run(_ monitor: SyncMonitor = SyncMonitor()) async throws -> SyncSummary {
        defer { monitor.end() }
        let context = HookContext(
            command: refresh == nil ? "sync" : HookContext.refresh, partner: partner, folder: folder,
            onChange: onChange, keepAwake: keepAwake,
            freeSpace: freeSpace, sharedConnections: sharedConnections, now: now, takeLock: takeLock,
            admit: { store in
                _ = try resolveOrigin(in: store, described(store))
            })
        return try await SyncHooks.around(context, SyncHooks.standard + hooks) { problem in
            monitor.problem(problem)
        } work: {
            try await work(in: context.store, as: context.run, cache: sharedConnections?.cache, monitor)
        }
    }

    /// Checks the options and determines the server.
    ///
    /// - Throws: ``SyncError`` if no origin is known, if ``base`` must not replace the remembered one, or if
    ///   ``SyncOptions/only`` has a kind that partners don't list.
    func resolveOrigin(
        in store: CatalogueStore, _ catalogue: DescribedCatalogue?
    ) throws -> Origins.Resolved {
        try options.checkKinds(among: store.kinds)
        let origins = Origins(
            store: store, isNewOrigin: isNewOrigin, caFile: options.caFile, sources: folder.home.sources)
        guard let catalogue else { return try origins.resolve(base, for: partner) }
        return try origins.resolve(catalogue, for: partner)
    }

    /// The described catalogue that is synced; `nil` for a server with the Partner API.
    func described(_ store: CatalogueStore) throws -> DescribedCatalogue? {
        let catalogue = try DescribedCatalogue.load(
            options.source, remembered: store.source, base: base, in: folder)
        if let catalogue { try options.checkKinds(of: DescribedSource(catalogue: catalogue)) }
        return catalogue
    }

    /// The session of a run. For a described source, it keeps the description's rules.
    func session(
        _ base: String, _ cache: CanonicalURLCache?, _ catalogue: DescribedCatalogue?, _ days: RequestDays
    ) throws -> InterceptableSession {
        let session = try makeSession(base, cache)
        guard let catalogue else { return session }
        if catalogue.isFasterThanAllowed {
            logger.warning(
                "This run may send more requests than the description of \(catalogue.partnerID) allows. Its server may refuse them."
            )
        }
        return try session.obeying(catalogue.hostRules(counting: days))
    }

    /// Bytes: enough for the objects of a few million artworks. Objects beyond it would be fetched again by each run.
    static let cacheCapacity = 8 << 30

    /// The part of a run between the hooks. The caller has taken the lock, opened the store and started the run in the log.
    ///
    /// - Parameters:
    ///   - cache: the origin's cache; `nil` opens the one in the mirror's folder.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin.
    package func work(
        in store: CatalogueStore, as run: Int64, cache: CanonicalURLCache? = nil,
        _ monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
        let catalogue = try described(store)
        let origin = try resolveOrigin(in: store, catalogue)
        let isOwn = cache == nil
        let cache =
            cache
            ?? CanonicalURLCache(
                file: URL(fileURLWithPath: folder.cache), origin: origin.base,
                diskCapacity: Self.cacheCapacity)
        // The cache's file must not be open without the run lock.
        defer { isOwn ? cache.close() : cache.flush() }
        let session = try session(origin.base, cache, catalogue, RequestDays(store))
        session.limitWaits(to: options.maxWait)
        let report = SyncReport(), files = FileStore(folder: folder.path, disk: disk)
        let applier = Applier(
            store: store, run: run, report: report, now: now, files: files, flushCache: { cache.flush() },
            check: { [refresh] in try refresh?.ticket.check() },
            // Weak: the monitor holds the tree's run, which holds this closure.
            observe: { [weak monitor] in monitor?.applied($0, $1) })
        var environment = SyncEnvironment(
            partner: partner, store: store, files: files, sender: session, applier: applier,
            report: report, options: try options.remembering(store), run: run, hasLists: try store.hasLists(),
            originChanged: origin.originChanged,
            freeSpace: freeSpace, logger: logger, now: now,
            whenIdentified: {
                if origin.originChanged { cache.removeAllCachedResponses() }
                try origin.remember(in: store, source: catalogue?.toRemember(base: origin.base))
            })
        environment.catalogue = catalogue
        environment.tree = SyncTree.tree(walking: options, own: tree)
        environment.pausing = monitor.pausing
        let lost = options.media ? try LostFiles(store, in: folder, now: now()).markForRefetch() : 0
        if lost > 0 {
            logger.notice(
                "\(lost) files of pictures and documents are missing on the disk. This sync fetches them again\(environment.coverage.coversMirror ? "" : "; those of other kinds are fetched by the next sync of the whole mirror")."
            )
        }
        var loop = PullLoop(environment: environment, origin: origin, applier: applier, monitor: monitor)
        loop.refresh = refresh
        var summary = try await loop.run()
        try session.settleBudgets()
        summary.run = run
        for problem in summary.problems + report.current.problems.filter(\.isNotice) {
            monitor.problem(problem)
        }
        monitor.updatedByList(summary.updatedByList)
        var deleted: [(kind: String, id: String)] = []
        try store.changes(run: run, action: "delete") { deleted.append(($0, $1)) }
        for object in deleted { monitor.item(kind: object.kind, id: object.id, action: "deleted") }
        try store.checkIsInPlace()
        return summary
    }
}

/// The open database and cache of a mirror, shared by many runs of one process.
///
/// A run that uses them doesn't close them. So they are opened, and their statements prepared, only once.
package struct SharedConnections: Sendable {
    package let store: CatalogueStore
    package let cache: CanonicalURLCache

    package init(store: CatalogueStore, cache: CanonicalURLCache) {
        self.store = store
        self.cache = cache
    }
}
