import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// Keeps a mirror current after the first sync, by loops and by items that run at intervals.
///
/// | item | does | when |
/// |---|---|---|
/// | `upkeep` | switches shows' loops, enables a guarded loop again, triggers due syncs | at the watch's interval, within 5 to 60 s |
/// | `pause` | checks whether the watch is paused | at the watch's interval, at most every 60 s |
/// | `counts` | stores the counts | every 60 s |
/// | `edits` | a sync of all kinds that pushes local edits, with the loops suspended | when ``SyncAgenda`` says so |
/// | `sync` | any other sync of all kinds, with the loops suspended | when ``SyncAgenda`` says so |
/// | `files` | ``FeedContext/followUp()`` | after each stored page |
///
/// `edits`, `sync` and `files` share the serial lane, and are disabled while the watch is paused; so are an app's own items.
final class Follower: Sendable {
    let context: FeedContext
    let core: PartnerLoop
    let scheduler: EventsPeriodicScheduler
    let center: PollingCenter
    /// Ends the watch, because of an error that only a person can fix.
    let ends: @Sendable (any Error) -> Void

    struct State: Sendable {
        var agenda: SyncAgenda
        var way: WatchWay
        var syncing: WatchSync?
        /// The run of the last sync, if it found nothing to do: the next such run replaces it in the log.
        var idleRun: Int64?
        /// The interval of polls that was last reported to the observer.
        var reportedInterval: Duration?
        /// When the watch was paused; `nil` if it isn't paused.
        var pausedAt: String?
        /// The items that the pause disabled.
        var pausedItems: [String] = []
    }

    let state: Mutex<State>
    private let first: SyncSummary
    let holds = Mutex<Set<Hold>>([])

    /// - Parameter first: how the first sync ended.
    init(
        _ setting: WatchSetting, first: SyncSummary, ends: @escaping @Sendable (any Error) -> Void
    ) throws {
        let sharedStore = setting.firstSync.sharedConnections?.store.sharingConnections()
        let store = try sharedStore ?? CatalogueStore.open(at: setting.folder.database, now: setting.now)
        guard let base = try store.origin, let partner = try store.storedSingle(.partner) else {
            throw SyncError(.badAnswer, "The first sync stored no partner. Run mirror sync to see why.")
        }
        // Without a cache: only the holder of the run lock may use its file, and the feeds work without that lock.
        let session = try setting.firstSync.makeSession(base, nil)
        let context = FeedContext(
            setting, store: store, session: session, router: Router(partner: partner.id),
            extensions: first.extensions, failures: first.failures)
        self.context = context
        self.ends = ends
        core = PartnerLoop(context)
        scheduler = EventsPeriodicScheduler(
            core: core,
            configuration: EventsConfiguration(
                interval: setting.interval, clock: setting.clock, executor: setting.executor,
                random: setting.random)
        ) { id in
            LoopRecord.show(ofLoop: id).map { ShowLoop(context: context, show: $0) }
                ?? setting.loops.first { $0.loopID == id }
        }
        center = PollingCenter(clock: setting.clock, executor: setting.executor, random: setting.random)
        // With a tree that leaves kinds out, events aren't followed: their changes of those kinds would be lost.
        state = Mutex(
            State(
                agenda: SyncAgenda(now: setting.now()),
                way: WatchWay(first, hasEvents: context.coverage.coversMirror)))
        self.first = first
        context.follower = self
    }

    var setting: WatchSetting { context.setting }
    var way: WatchWay { state.withLock { $0.way } }

    // MARK: - Running

    /// Starts the loops and items.
    ///
    /// - Parameter atIntervals: whether the items run; if not, a simulation does their work.
    func start(atIntervals: Bool = true) throws {
        addItems()
        try core.forgetEndedShows()
        if way == .events {
            follow()
        } else {
            scheduler.disableLoop(LoopRecord.coreID)
            poll(way, way == .source ? first : nil)
        }
        // A loop that the delete guard stopped waits for a person, also after a restart.
        if try context.store.loop(LoopRecord.coreID)?.state == LoopRecord.guarded {
            scheduler.disableLoop(LoopRecord.coreID)
        }
        updateShowLoops()
        for loop in setting.loops { scheduler.enableLoop(loop.loopID) }
        scheduler.start()
        guard atIntervals else { return }
        center.enableAll()
        center.trigger(Item.files)
    }

    /// Cancels and stops everything. When it returns, nothing runs any more; cancelled work is not stored.
    func stop() async {
        // First the pause item, because the end of a pause enables other items.
        await center.disableAndWait(Item.pause)
        scheduler.reset()
        center.disableAll()
        await scheduler.settled()
        await center.disableAllAndWait()
        storeCounts()
        context.reporting("database") { try context.store.close() }
    }

    /// Triggers all loops now; where the server has no events, a sync.
    func pollNow() {
        scheduler.triggerAll()
        guard way != .events else { return }
        syncSoon()
        center.trigger(Item.sync)
    }

    private func syncSoon() { state.withLock { $0.agenda.requestSync(setting.now()) } }

    enum Item {
        static let upkeep = "upkeep", pause = "pause", counts = "counts"
        static let edits = "edits", sync = "sync", files = "files"
        static let all = [upkeep, pause, counts] + pausable
        /// The items that a pause disables, beside an app's own.
        static let pausable = [edits, sync, files]
    }

    private func addItems() {
        center.add(UpkeepItem(context: context))
        center.add(PauseItem(context: context))
        center.add(CountsItem(context: context))
        center.add(EditsItem(context: context))
        center.add(WholeSyncItem(context: context))
        center.add(FilesItem(context: context))
        for item in setting.items { center.add(item) }
    }

    // MARK: - Upkeep

    func runUpkeep() throws {
        // Writes to a database file that was removed would be lost.
        guard (try? context.store.checkIsInPlace()) != nil else {
            return ends(
                StoreError(
                    .noSuchMirror,
                    "The mirror \(setting.folder.name) was removed or replaced while it was watched. Start mirror watch again."
                ))
        }
        guard !isPaused else { return }
        updateShowLoops()
        reenableCore()
        retryCoreIfRecovered()
        if let due = try dueSync() { center.trigger(due == .edits ? Item.edits : Item.sync) }
        let time = setting.clock.now()
        let hasFiles = context.files.requeuePostponed(at: time),
            hasGhosts = context.ghosts.forgetPostponed(at: time)
        if hasFiles || hasGhosts { center.trigger(Item.files) }
    }

    func storeCounts() {
        let tally = setting.tally
        tally.update(from: context.session.statistics)
        let well = scheduler.status.loops.filter {
            LoopRecord.kind(ofLoop: $0.id) != nil && $0.lastSuccess != nil && $0.health.state == .well
        }
        context.reporting("counts") {
            try context.store.add(tally: tally.takeUnstored())
            guard let latest = well.compactMap(\.lastSuccess).max() else { return }
            try context.store.noteLoops(
                well.map(\.id), wentWellAt: CatalogueStore.text(of: context.date(latest)))
        }
    }

    func followUp() async throws {
        do {
            if try await context.followUp() { center.trigger(Item.files) }
        } catch let error as CancellationError {
            throw error
        } catch {
            if case .fatal(let error) = FeedFailure(error) { ends(error) }
            context.problem(error, about: Item.files)
            throw error
        }
        if context.files.takeOverflow() { syncSoon() }
    }
}
