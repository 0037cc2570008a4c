import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// Keeps a mirror current after the first sync: the loops, and what is done at intervals beside them.
///
/// | item | does | when |
/// |---|---|---|
/// | `upkeep` | switches shows' loops as time passes, brings a guarded loop back, looks whether a sync is due, stores counts | at the interval, but every 5 to 60 s |
/// | `sync` | a whole sync, with the loops suspended | when ``SyncAgenda`` says so |
/// | `files` | ``FollowUp`` | after each stored page |
///
/// `sync` and `files` share the serial lane.
final class Follower: Sendable {
    let context: FeedContext
    let scheduler: EventsPeriodicScheduler<PartnerLoop, ShowLoop>
    let center: PollingCenter

    struct State: Sendable {
        var agenda: SyncAgenda
        var way: WatchWay
        var syncing: WatchSync?
        /// The last sync, if it found nothing to do: the next such one takes its place in the log.
        var idleRun: Int64?
        var countsStored: Duration
        /// The interval of polls that the observer knows of.
        var toldInterval: Duration?
    }

    let state: Mutex<State>
    let roster = Mutex<Void>(())

    /// - Parameters:
    ///   - first: how the first sync ended.
    ///   - ends: told of what only a person can mend.
    init(
        _ setting: WatchSetting, _ observer: WatchObserver, lock: SharedRunLock, tally: WatchTally,
        first: SyncSummary, ends: @escaping @Sendable (any Error) -> Void
    ) throws {
        let lent = setting.lent?.store.lent()
        let store = try lent ?? CatalogueStore.open(at: setting.folder.database, now: setting.now)
        guard let base = try store.origin, let partner = try store.storedSingle(.partner) else {
            throw SyncError(.badAnswer, "The first sync brought no partner. Run mirror sync to see why.")
        }
        // The cache's file belongs to whoever holds the run lock: another program may sync beside the feeds.
        let session = try setting.makeSession(base, nil)
        let link = Link()
        context = FeedContext(
            setting: setting, store: store, session: session, router: Router(partner: partner.id),
            extensions: first.extensions, observer: observer, lock: lock, tally: tally,
            signals: FeedContext.Signals(
                stored: { link.follower?.stored($0) }, noEvents: { link.follower?.pollInstead() }, ends: ends)
        )
        let context = context
        context.failures.withLock { $0 = first.failures }
        scheduler = EventsPeriodicScheduler(
            core: PartnerLoop(context),
            configuration: EventsConfiguration(
                interval: setting.interval, clock: setting.clock, executor: setting.executor,
                random: setting.random)
        ) { id in LoopRecord.show(ofLoop: id).map { ShowLoop(context, show: $0) } }
        center = PollingCenter(clock: setting.clock, executor: setting.executor, random: setting.random)
        state = Mutex(
            State(
                agenda: SyncAgenda(now: setting.now()), way: WatchWay(first.extensions, hasEvents: true),
                countsStored: setting.clock.now()))
        link.follower = self
    }

    /// A way back that keeps nothing alive.
    private final class Link: Sendable {
        private struct Reference {
            weak var follower: Follower?
        }

        private let reference = Mutex(Reference())
        var follower: Follower? {
            get { reference.withLock { $0.follower } }
            set { reference.withLock { $0.follower = newValue } }
        }
    }

    var setting: WatchSetting { context.setting }

    // MARK: - Running

    func start() throws {
        for item in items { center.add(item) }
        try forgetLoops()
        switch state.withLock({ $0.way }) {
        case .events: follow()
        case let way:
            scheduler.disableLoop(LoopRecord.coreID)
            poll(way)
        }
        // What the guard stopped waits for a person, a new start notwithstanding.
        if try context.store.loop(LoopRecord.coreID)?.state == LoopRecord.guarded {
            scheduler.disableLoop(LoopRecord.coreID)
        }
        switchShows()
        scheduler.start()
        center.enableAll()
        center.trigger(Item.files)
    }

    /// Returns when nothing runs any more; what was cancelled has not been stored, nor will it be.
    func stop() async {
        scheduler.reset()
        center.disableAll()
        await scheduler.settled()
        await center.disableAllAndWait()
        storeCounts()
        do {
            try context.store.close()
        } catch {
            context.problem(error, about: "database")
        }
    }

    func pollNow() {
        guard state.withLock({ $0.way }) != .events else { return scheduler.triggerAll() }
        state.withLock { $0.agenda.hurry(setting.now()) }
        center.trigger(Item.sync)
    }

    enum Item {
        static let upkeep = "upkeep", sync = "sync", files = "files"
    }

    private var items: [Pollable] {
        let upkeep = Pollable(
            id: Item.upkeep, interval: max(.seconds(5), min(setting.interval, .seconds(60)))
        ) { [weak self] in
            try self?.keepUp()
        }
        var sync = Pollable(id: Item.sync, interval: .seconds(86_400)) { [weak self] in
            try await self?.syncIfDue()
        }
        sync.lane = .serial
        var files = Pollable(id: Item.files, interval: .seconds(3_600)) { [weak self] in
            try await self?.followUp()
        }
        files.lane = .serial
        return [upkeep, sync, files]
    }

    // MARK: - Upkeep

    private func keepUp() throws {
        guard context.isInPlace else {
            return context.signals.ends(
                StoreError(
                    .noSuchMirror,
                    "The mirror \(setting.folder.name) was removed or replaced while it was watched. Start mirror watch again."
                ))
        }
        switchShows()
        bringBackCore()
        wakeCore()
        let now = setting.now(), hasEdits = try hasEdits(), owes = try owesLists()
        if state.withLock({ $0.agenda.due(at: now, hasEdits: hasEdits, owes: owes) }) != nil {
            center.trigger(Item.sync)
        }
        let time = setting.clock.now()
        let isDue = state.withLock { state in
            guard time - state.countsStored >= .seconds(60) else { return false }
            state.countsStored = time
            return true
        }
        if isDue { storeCounts() }
        let hasFiles = context.files.bringBack(at: time), hasGhosts = context.ghosts.bringBack(at: time)
        if hasFiles || hasGhosts { center.trigger(Item.files) }
    }

    func hasEdits() throws -> Bool { try context.store.pendingEdits().waiting > 0 }

    /// Whether the feed is followed though lists did not come, which only a whole sync asks for again.
    func owesLists() throws -> Bool { try !context.store.owedKinds.isEmpty }

    private func storeCounts() {
        context.tally.look(at: context.session.statistics)
        let well = scheduler.status.loops.filter { $0.lastSuccess != nil && $0.health.state == .well }
        do {
            try context.store.add(tally: context.tally.takeUnstored())
            let latest = well.compactMap(\.lastSuccess).max()
            if let latest {
                try context.store.noteLoops(
                    well.map(\.id), wentWellAt: CatalogueStore.text(of: context.date(latest)))
            }
        } catch {
            context.problem(error, about: "counts")
        }
    }

    private func followUp() async throws {
        do {
            if try await FollowUp(context: context).run() { center.trigger(Item.files) }
        } catch let error as CancellationError {
            throw error
        } catch {
            if case .final(let error) = FeedFailure(error) { context.signals.ends(error) }
            context.problem(error, about: Item.files)
            throw error
        }
        if context.files.takeOverflow() { state.withLock { $0.agenda.hurry(setting.now()) } }
    }
}
