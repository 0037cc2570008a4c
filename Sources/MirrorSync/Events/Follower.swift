import Foundation
import MirrorHTTP
import MirrorStore
import PartnerAPI
import PeriodicLoops
import Synchronization

/// Keeps a mirror current after the first sync: the loops, and what is done at intervals beside them.
///
/// | item | does | when |
/// |---|---|---|
/// | `upkeep` | switches shows' loops as time passes, brings a guarded loop back, looks whether a sync is due, stores counts | at the interval, once a minute at the least |
/// | `sync` | a whole sync, with the loops suspended | when ``SyncAgenda`` says so |
/// | `files` | ``FollowUp`` | after each stored page |
///
/// `sync` and `files` share the serial lane.
final class Follower: Sendable {
    let context: FeedContext
    private let scheduler: EventsPeriodicScheduler<PartnerLoop, ShowLoop>
    private let center: PollingCenter

    private struct State: Sendable {
        var agenda: SyncAgenda
        var way: WatchWay
        var syncing: WatchSync?
        /// The last sync, if it found nothing to do: the next such one takes its place in the log.
        var idleRun: Int64?
        var countsStored: Duration
    }

    private let state: Mutex<State>
    private let roster = Mutex<Void>(())

    /// - Parameters:
    ///   - first: how the first sync ended.
    ///   - ends: told of what only a person can mend.
    init(
        _ setting: WatchSetting, _ observer: WatchObserver, lock: SharedRunLock, tally: WatchTally,
        first: SyncSummary, ends: @escaping @Sendable (any Error) -> Void
    ) throws {
        let store = try CatalogueStore.open(at: setting.folder.database, now: setting.now)
        guard let base = try store.fact(.origin), let partner = try store.storedSingle(.partner) else {
            throw SyncError(.badAnswer, "The first sync brought no partner. Run mirror sync to see why.")
        }
        let cache = CanonicalURLCache(file: URL(fileURLWithPath: setting.folder.cache), origin: base)
        let session = try setting.makeSession(base, cache)
        session.limitWaits(to: setting.options.maxWait)
        let link = Link()
        context = FeedContext(
            setting: setting, store: store, session: session, router: Router(partner: partner.id),
            extensions: first.extensions, observer: observer, lock: lock, tally: tally,
            signals: FeedContext.Signals(
                stored: { link.follower?.stored($0) }, noEvents: { link.follower?.pollInstead() }, ends: ends)
        )
        let context = context
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

    private var setting: WatchSetting { context.setting }

    // MARK: - Running

    func start() throws {
        for item in items { center.add(item) }
        try forgetLoops()
        switch state.withLock({ $0.way }) {
        case .events: follow()
        case let way: poll(way)
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
        context.session.cache?.flush()
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

    private enum Item {
        static let upkeep = "upkeep", sync = "sync", files = "files"
    }

    private var items: [Pollable] {
        let upkeep = Pollable(id: Item.upkeep, interval: min(setting.interval, .seconds(60))) { [weak self] in
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
        switchShows()
        bringBackCore()
        let now = setting.now(), hasEdits = try hasEdits()
        if state.withLock({ $0.agenda.due(at: now, hasEdits: hasEdits) }) != nil { center.trigger(Item.sync) }
        let time = setting.clock.now()
        let isDue = state.withLock { state in
            guard time - state.countsStored >= .seconds(60) else { return false }
            state.countsStored = time
            return true
        }
        if isDue { storeCounts() }
    }

    private func hasEdits() throws -> Bool { try context.store.pendingEdits().waiting > 0 }

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

    // MARK: - Loops

    private func stored(_ kinds: Set<ObjectKind>) {
        if kinds.contains(.show) { switchShows() }
        center.trigger(Item.files)
    }

    /// Enables and disables shows' loops as what is stored, and the time, say.
    private func switchShows() {
        guard state.withLock({ $0.way }) == .events else { return }
        do {
            let changes = try roster.withLock { _ in try switchedShows() }
            for id in changes.ended { context.observer.handler(.loopEnded(id: id)) }
            for id in changes.begun {
                let record = try context.store.loop(id) ?? LoopRecord(id: id, kind: .show)
                context.observer.handler(.loopChanged(record))
            }
        } catch {
            context.problem(error, about: "shows")
        }
    }

    private func switchedShows() throws -> (begun: [LoopID], ended: [LoopID]) {
        let wanted = try wantedLoops()
        let enabled = scheduler.enabledLoops.filter { LoopRecord.show(ofLoop: $0) != nil }
        let known = Set(wanted), current = Set(enabled)
        let ended = enabled.filter { !known.contains($0) && scheduler.disableLoop($0) }
        // Should its show run again, it begins anew.
        try context.store.forgetLoops(ended)
        return (wanted.filter { !current.contains($0) && scheduler.enableLoop($0) }, ended)
    }

    private func wantedLoops() throws -> [LoopID] {
        let time = try context.serverTime()
        let day = CatalogueStore.text(of: time.addingTimeInterval(-86_400)).prefix(10)
        let feeds = try context.store.showFeeds(endingAfter: String(day))
        return ShowRoster(feeds, at: Timestamp(seconds: Int(time.timeIntervalSince1970))).loops
    }

    /// What is stored of loops of shows that are over or gone, or of ways that are no longer gone.
    private func forgetLoops() throws {
        let time = try context.serverTime()
        let day = CatalogueStore.text(of: time.addingTimeInterval(-86_400)).prefix(10)
        let running = Set(
            try context.store.showFeeds(endingAfter: String(day)).map { LoopRecord.showID($0.show) })
        let old = try context.store.loops().filter {
            $0.kind == LoopRecord.Kind.show.rawValue && !running.contains($0.id)
        }
        try context.store.forgetLoops(old.map(\.id))
    }

    /// A loop that the guard stopped, or whose server had no events, is asked again once a sync has stored a cursor.
    private func bringBackCore() {
        guard state.withLock({ $0.way }) == .events, !scheduler.enabledLoops.contains(LoopRecord.coreID)
        else { return }
        do {
            let record = try context.store.loop(LoopRecord.coreID)
            guard record?.state == LoopRecord.enabled, scheduler.enableLoop(LoopRecord.coreID) else { return }
            if let record { context.observer.handler(.loopChanged(record)) }
        } catch {
            context.problem(error, about: LoopRecord.coreID)
        }
    }

    // MARK: - Ways

    private func follow() {
        state.withLock { state in
            state.way = .events
            state.agenda.poll(every: nil, from: setting.now())
        }
        do { try context.store.forgetLoops([LoopRecord.pollID]) } catch {
            context.problem(error, about: "poll")
        }
        context.observer.handler(.following(.events, interval: setting.interval))
    }

    private func poll(_ way: WatchWay, _ cost: PollInterval.Cost? = nil) {
        let interval = PollInterval.interval(way, cost, least: setting.interval), now = setting.now()
        let isNews = state.withLock { state in
            let isNews = state.way != way || state.agenda.pollInterval != interval
            state.way = way
            state.agenda.poll(every: interval, from: now)
            return isNews
        }
        notePoll(way, interval, wentWell: cost != nil)
        if isNews { context.observer.handler(.following(way, interval: interval)) }
    }

    private func notePoll(_ way: WatchWay, _ interval: Duration, wentWell: Bool) {
        let now = setting.now(), seconds = Int(interval / .seconds(1))
        let health: JSONObject = ["way": .string(way.rawValue), "interval": .integer(seconds)]
        context.note(
            LoopRecord(
                id: LoopRecord.pollID, kind: .poll, lastAt: wentWell ? CatalogueStore.text(of: now) : nil,
                message: "no events here: a sync by \(way.rawValue) every \(seconds) s",
                nextAt: CatalogueStore.text(of: now.addingTimeInterval(Double(seconds))),
                health: health.canonicalText))
    }

    /// The server said that it has events, and answers no feed.
    private func pollInstead() {
        for id in scheduler.enabledLoops where id != LoopRecord.coreID { scheduler.disableLoop(id) }
        do {
            try context.store.forgetLoops([LoopRecord.coreID])
        } catch {
            context.problem(error, about: LoopRecord.coreID)
        }
        poll(WatchWay(context.extensions, hasEvents: false))
    }

    // MARK: - Syncs

    private func syncIfDue() async throws {
        let now = setting.now(), hasEdits = try hasEdits()
        let due = state.withLock { state in
            state.syncing = state.agenda.due(at: now, hasEdits: hasEdits)
            return state.syncing
        }
        guard let due else { return }
        defer { state.withLock { $0.syncing = nil } }
        // The loops wait, rather than to be told that the lock is taken.
        scheduler.suspend()
        defer { scheduler.resume() }
        await scheduler.settled()
        try Task.checkCancellation()
        let summary = await WatchedSync(setting, context.observer, lock: context.lock).run(due)
        context.tally.add(summary.requests)
        try judge(summary, due)
    }

    private func judge(_ summary: SyncSummary, _ sync: WatchSync) throws {
        switch WatchVerdict(summary) {
        case .cancelled: throw CancellationError()
        case .ends(let error): context.signals.ends(error)
        case .retries:
            context.tally.add(.failures)
            let random = setting.random()
            state.withLock { $0.agenda.failed(at: setting.now(), random: random) }
        case .goesOn:
            let hasEdits = try hasEdits()
            state.withLock { $0.agenda.succeeded(at: setting.now(), hasEdits: hasEdits) }
            try forgetIdleRun(summary)
            try chooseWay(summary, sync)
            try forgetLoops()
            switchShows()
        }
    }

    /// Events, where the server gave a cursor; else polls, as often as this one's cost allows.
    private func chooseWay(_ summary: SyncSummary, _ sync: WatchSync) throws {
        guard state.withLock({ $0.way }) != .events else {
            bringBackCore()
            scheduler.triggerCoreLoop()
            return
        }
        if summary.hasCursor {
            follow()
            bringBackCore()
            scheduler.triggerAll()
            return
        }
        let cost =
            sync == .poll
            ? PollInterval.Cost(seconds: summary.seconds, requests: summary.requests.sent) : nil
        poll(WatchWay(summary.extensions, hasEvents: false), cost)
    }

    /// The log keeps one of several runs in a row that found nothing to do.
    private func forgetIdleRun(_ summary: SyncSummary) throws {
        let isIdle = summary.outcome == .complete && !summary.hasChanges && summary.problems.isEmpty
        let before = state.withLock { state in
            defer { state.idleRun = isIdle ? summary.run : nil }
            return isIdle ? state.idleRun : nil
        }
        if let before { try context.store.forgetIdleRun(before) }
    }
}

// MARK: - Status

extension Follower {
    func add(to status: inout WatchStatus) {
        let (agenda, way, syncing) = state.withLock { ($0.agenda, $0.way, $0.syncing) }
        let scheduled = scheduler.status
        status.phase = syncing.map(WatchStatus.Phase.syncing) ?? .following
        status.way = way
        status.interval = way == .events ? setting.interval : agenda.pollInterval
        status.nextSync = agenda.next
        status.waitingFiles = context.files.count
        context.tally.look(at: context.session.statistics)
        status.loops =
            way == .events ? scheduled.loops.map { loop($0, tick: scheduled.nextTick) } : [poll(agenda)]
    }

    private func loop(_ loop: LoopStatus, tick: Duration?) -> WatchStatus.Loop {
        let next = [loop.health.nextTry, tick].compactMap(\.self).max()
        return WatchStatus.Loop(
            id: loop.id, kind: loop.isCore ? .core : .show, activity: loop.activity,
            health: loop.health.state, message: loop.health.lastError,
            lastSuccess: loop.lastSuccess.map(context.date), next: next.map(context.date))
    }

    private func poll(_ agenda: SyncAgenda) -> WatchStatus.Loop {
        WatchStatus.Loop(
            id: LoopRecord.pollID, kind: .poll, activity: .waiting,
            health: agenda.notBefore == nil ? .well : .backingOff, message: nil, lastSuccess: nil,
            next: agenda.next)
    }
}
