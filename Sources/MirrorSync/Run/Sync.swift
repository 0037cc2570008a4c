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
/// 3. Lists that named what then was not found are requested again, and what is new in them is fetched (``RelistMissing``).
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
    /// What is walked; `nil`, the default, for the whole tree. Of kinds that it doesn't list nothing is swept, and no date moves.
    public let tree: Tree<String, SyncEnvironment>?
    /// An app's hooks: called after the standard ones before the tree, and before them after it.
    public let hooks: [SyncHook]
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
    package var lent: SharedConnections?
    /// Takes the run lock; a watch has one for all that it does.
    var takeLock: @Sendable (MirrorFolder) throws -> RunHold = { try RunLock($0) }
    /// How downloaded files get to the disk.
    package var disk = DiskSync.system

    /// - Parameters:
    ///   - tree: what is walked; ``SyncTree`` says how an app makes one.
    ///   - hooks: called in this order before the tree, when the database is open, and in the opposite order after it.
    ///   - makeSession: the transport, interceptors and clock are chosen here.
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
            freeSpace: freeSpace, lent: lent, now: now, takeLock: takeLock,
            admit: { _ = try settle(in: $0) })
        return try await SyncHooks.around(context, SyncHooks.standard + hooks) { problem in
            monitor.problem(problem)
        } work: {
            try await work(in: context.store, as: context.run, cache: lent?.cache, monitor)
        }
    }

    /// - Throws: ``SyncError`` if there is no origin, or one that must not take the place of the one that is remembered; or if
    ///   ``SyncOptions/only`` names a kind that no partner lists.
    func settle(in store: CatalogueStore) throws -> Origins.Settled {
        try options.checkKinds(among: store.kinds)
        return try Origins(store: store, isNewOrigin: isNewOrigin, caFile: options.caFile).settle(
            base, for: partner)
    }

    /// Bytes: those of the objects of a few million artworks. Whatever didn't fit would be fetched again each time.
    static let cacheCapacity = 8 << 30

    /// What is between the hooks, for whoever has the lock, the open store and the run's row already.
    ///
    /// - Parameters:
    ///   - cache: of the origin; `nil` opens the one in the mirror's folder.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin.
    package func work(
        in store: CatalogueStore, as run: Int64, cache: CanonicalURLCache? = nil,
        _ monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
        let origin = try settle(in: store)
        let isOwn = cache == nil
        let cache =
            cache
            ?? CanonicalURLCache(
                file: URL(fileURLWithPath: folder.cache), origin: origin.base,
                diskCapacity: Self.cacheCapacity)
        // Its file may be open under the lock alone.
        defer { isOwn ? cache.close() : cache.flush() }
        let session = try makeSession(origin.base, cache)
        session.limitWaits(to: options.maxWait)
        let report = SyncReport(), files = FileStore(folder: folder.path, disk: disk)
        let applier = Applier(
            store: store, run: run, report: report, now: now, files: files, flushCache: { cache.flush() },
            check: { [refresh] in try refresh?.ticket.check() },
            // The monitor has the tree's run, and that what this is a part of.
            observe: { [weak monitor] in monitor?.applied($0, $1) })
        var environment = SyncEnvironment(
            partner: partner, store: store, files: files, sender: session, applier: applier,
            report: report, options: options, run: run, hasLists: try store.hasLists(),
            originChanged: origin.originChanged,
            freeSpace: freeSpace, logger: logger, now: now,
            recognised: {
                if origin.originChanged { cache.removeAllCachedResponses() }
                try origin.remember(in: store)
            })
        environment.tree = SyncTree.tree(walking: options, own: tree)
        environment.pausing = monitor.pausing
        let lost = options.media ? try LostFiles(store, in: folder, now: now()).forget() : 0
        if lost > 0 {
            logger.notice(
                "\(lost) files of pictures and documents are not there any more. Those that are wanted are fetched again\(environment.coverage.isWhole ? "" : ", of other kinds by the next whole sync")."
            )
        }
        var loop = PullLoop(environment: environment, origin: origin, applier: applier, monitor: monitor)
        loop.refresh = refresh
        var summary = try await loop.run()
        summary.run = run
        for problem in summary.problems + report.current.problems.filter(\.isNotice) {
            monitor.problem(problem)
        }
        monitor.updatedByList(summary.updatedByList)
        var deleted: [(kind: String, id: String)] = []
        try store.changes(run: run, action: "delete") { deleted.append(($0, $1)) }
        for object in deleted { monitor.item(kind: object.kind, id: object.id, action: "deleted") }
        try store.checkPlace()
        return summary
    }
}

/// What a person asked of a sync.
public struct SyncOptions: Sendable {
    /// Request every list and object on no condition and past all caches, and store what comes even under the ETag that is
    /// stored. Files that are stored are not downloaded again.
    public var full = false
    /// Fetch the bytes of pictures and documents.
    public var media = true
    /// The kinds whose lists are walked, of those that a partner lists; empty, the default, for the whole tree.
    ///
    /// Only these kinds are swept and get new since dates. The event cursor stays where it is, and neither a snapshot nor the
    /// digest is used. Such a run doesn't count as a sync of the whole mirror (``SyncSummary/only``).
    public var only: Set<Kind> = []
    /// Picture formats to keep; `nil` for `larger`, else the largest offered.
    public var formats: [String]?
    /// Fetch the deep-zoom tiles of pictures as well, where the server has them. Default `false`.
    public var tiles = false
    /// Request what is missing of tiles that are stored, though ``tiles`` is off: a repair does.
    var repairsTiles = false
    /// Ask for pictures again even if their entry did not change.
    public var revalidateMedia = false
    /// How much may be swept.
    public var maxDelete = DeleteGuard.Limit.standard
    /// A list with more members is refused.
    public var maxObjects = 5_000_000
    /// How long changes alone are trusted before the full lists are looked at again. Default 7 days.
    public var auditEvery: Duration = .seconds(7 * 86_400)
    /// Whether a server's digest may say that the full lists need not be looked at, where it has one.
    public var auditsByDigest = true
    /// Shows that ended longer ago than this are not kept; `nil`, the default, keeps them for ever.
    public var keepShows: Duration?
    /// The longest that a run waits for a server in trouble, the session's own waits included. Default 1 hour.
    public var maxWait: Duration = .seconds(3_600)
    /// The absolute path of a file of certificate authorities (PEM) that vouch for the server, remembered with it; `nil`, the
    /// default, for the one that is remembered. What makes the session's transport has to hand it over.
    public var caFile: String?
    /// Don't wait for a server in trouble: what failed has failed.
    public var failFast = false
    /// Requests under way at once, as far as the session's transport is made for it; pictures half as many.
    public var jobs = 16
    /// One worker, depth first, in declared order: for tests.
    public var synchronous = false

    /// A first catalogue of more URLs is taken in without some indexes, which are made when all is here.
    package var mostWithIndexes = 20_000

    public init() {}

    /// Four times the requests that may be under way at once: while so many wait for their answers, three times as many
    /// answers are read and stored. The transport's own limit is what the server sees.
    var requestLane: Int { jobs * 4 }
    /// Pictures and documents spend their time under way.
    var mediaLane: Int { max(1, jobs / 2) }

    /// - Throws: ``SyncError`` if ``only`` names a kind that no partner lists.
    func checkKinds(among kinds: Kinds) throws {
        guard !only.isSubset(of: kinds.listed) else { return }
        let names = kinds.listed.map(\.name).joined(separator: ", ")
        throw SyncError(
            .catalogue, "A sync of some kinds alone walks lists, and only these kinds have one: \(names).")
    }

    /// What ``FinishRequest/formats`` and `list.clean_formats` hold: which media were wanted.
    var mediaKey: String? { media ? CatalogueStore.mediaKey(formats: formats, tiles: tiles) : nil }
    /// Whether the tree has the node of tiles.
    var walksTiles: Bool { tiles || repairsTiles }
    /// Whether no others are wanted than those of which a server states the size.
    var wantsStatedMedia: Bool { formats == nil && !tiles }
}

/// A mirror's database and cache that are open already, and stay open behind a run: for whoever makes many runs in one
/// process, which spares what it takes to open them and to prepare their statements.
package struct SharedConnections: Sendable {
    package let store: CatalogueStore
    package let cache: CanonicalURLCache

    package init(store: CatalogueStore, cache: CanonicalURLCache) {
        self.store = store
        self.cache = cache
    }
}
