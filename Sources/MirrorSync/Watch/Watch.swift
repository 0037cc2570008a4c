import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import OperationTree
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
    private struct State: Sendable {
        var phase = WatchStatus.Phase.notStarted
        var follower: Follower?
        var waiting: Task<Void, any Error>?
    }

    let setting: WatchSetting
    private let state = Mutex(State())
    private let hasRun = Atomic(false)

    public var partner: String { setting.partner }
    public var folder: MirrorFolder { setting.folder }
    public var interval: Duration { setting.interval }

    /// - Parameters:
    ///   - base: the origin's; `nil` for the one that is remembered.
    ///   - options: of all its syncs, and which pictures follow.
    ///   - tree: what all its syncs walk, and what fetches the objects and files that a feed names; ``SyncTree`` says how an app
    ///     makes one. With one that leaves something out events aren't followed: it syncs at intervals.
    ///   - hooks: called around each of its syncs, as for ``Sync``, and around those that list some kinds again because a feed
    ///     knows too little (``HookContext/command`` is `refresh` then). A page of events has none.
    ///   - interval: from one request of a feed to the next. Default 30 s, at least 1 s. Without events, the least time
    ///     from one sync to the next.
    ///   - now: the wall clock, for what is written down.
    ///   - clock: what ticks are measured with. Default: the system's, from `now` on.
    ///   - random: numbers in `0..<1`, for back-off.
    ///   - items: an app's own, done at their intervals while the mirror is followed and nobody has the watch paused; one in the
    ///     serial lane never runs during a whole sync of the watch. Their ids are unique, and none of the watch's own: `upkeep`,
    ///     `pause`, `counts`, `edits`, `sync`, `files`.
    ///   - loops: an app's own feeds, asked in the same queue and at the same interval as the partner's, also where the partner has
    ///     no events; a whole sync or a pause holds them up, too. One that is a `CoreLoop` gets the scheduler as its delegate. Their
    ///     ids are unique, and none of the watch's own: `partner`, `poll`, `show:` and an id.
    ///   - makeSession: as for ``Sync``: called for each sync, and once for the feeds.
    public init(
        partner: String, folder: MirrorFolder, base: String? = nil, isNewOrigin: Bool = false,
        options: SyncOptions = SyncOptions(), interval: Duration = .seconds(30), keepAwake: KeepAwake? = nil,
        freeSpace: FreeSpace = .system, tree: Tree<String, SyncEnvironment>? = nil,
        hooks: [SyncHook] = [], logger: Logger = Logger(label: "mirror.watch"),
        now: @escaping @Sendable () -> Date = { Date() }, clock: LoopClock? = nil,
        executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        items: [any Pollable] = [], loops: [any EventsLoop] = [],
        makeSession:
            @escaping @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    ) {
        // It follows all that happens, so that its syncs are whole ones.
        var options = options
        options.only = []
        setting = WatchSetting(
            firstSync: Sync(
                partner: partner, folder: folder, base: base, isNewOrigin: isNewOrigin, options: options,
                keepAwake: keepAwake, freeSpace: freeSpace, tree: tree, hooks: hooks, logger: logger,
                now: now,
                makeSession: makeSession),
            interval: max(interval, .seconds(1)),
            clock: clock ?? .continuous(startingAt: .seconds(now().timeIntervalSince1970)),
            executor: executor, random: random, items: items, loops: loops)
    }

    /// Watches until its task is cancelled: then what runs is ended or cancelled, nothing is stored any more, and it
    /// returns. May be called once.
    ///
    /// What may pass is no reason to end, at the start neither: a server that can't be reached or is in trouble, another run
    /// that holds the mirror's lock, a full disk; nor, once a sync has gone well, that the partner is suddenly unknown there
    /// or the login refused. It is tried again for ever, at growing intervals up to half an hour.
    ///
    /// - Throws: what only a person can fix: ``SyncError`` with `unknownPartner` or `notAuthorised` at the first sync,
    ///   `otherOrigin`;
    ///   ``StoreError`` with `locked` if the mirror is watched already, `newerVersion`, `damaged`, `readOnly` and the like.
    public func run(_ observer: WatchObserver = WatchObserver()) async throws {
        guard !hasRun.exchange(true, ordering: .relaxed) else { return }
        defer { state.withLock { $0 = State(phase: .stopped) } }
        var setting = setting
        setting.observer = observer
        try folder.prepare()
        let watching = try RunLock(watching: folder)
        defer { withExtendedLifetime(watching) { cleanUp() } }
        // Whether the mirror has come from this server before, and whether the server has taken the login.
        var isKnown = folder.exists, hasFollowed = false, failures = 0
        while !Task.isCancelled {
            try await waitWhilePaused(setting)
            if Task.isCancelled { return }
            state.withLock { $0.phase = .syncing(.first) }
            let first = await setting.run(.first)
            switch WatchVerdict(first, isKnown: isKnown) {
            case .cancelled: return
            case .ends(let error) where !hasFollowed || !Self.isRefusedLogin(error): throw error
            case .retries, .ends: break
            case .goesOn:
                setting.tally.addStored(first.requests)
                let began = setting.clock.now()
                // A login that was refused to a mirror that had it may be accepted again.
                guard try await isLoginRefused(setting, following: first) else { return }
                // One that only the feed refuses, sync after sync, must not become a sync every few seconds.
                if setting.clock.now() - began > Self.longEnough { failures = 0 }
                (hasFollowed, isKnown) = (true, folder.exists)
            }
            failures += 1
            let wait = BackOff().delay(afterFailures: failures, random: setting.random())
            await self.wait(wait, as: .retrying(at: setting.now().adding(wait)))
        }
    }

    /// After following for so long, a refused login is first tried again after a short wait.
    private static let longEnough: Duration = .seconds(3_600)

    /// Follows until the task is cancelled, or something goes wrong that only a person can fix.
    ///
    /// - Returns: whether that is the login.
    private func isLoginRefused(_ setting: WatchSetting, following first: SyncSummary) async throws -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: (any Error).self)
        let follower = try Follower(setting, first: first, ends: { end.yield($0) })
        state.withLock { $0 = State(phase: .following, follower: follower) }
        var failure: (any Error)?
        do {
            try follower.start()
            failure = await ends.first { _ in true }
        } catch {
            failure = error
        }
        // Waiting for what runs must not be cut short because this task is cancelled.
        await Task { await follower.stop() }.value
        state.withLock { $0.follower = nil }
        guard let failure else { return false }
        guard Self.isRefusedLogin(failure) else { throw failure }
        return true
    }

    private static func isRefusedLogin(_ error: any Error) -> Bool {
        (error as? SyncError)?.code == .notAuthorised
    }

    /// Returns when no person has the watch paused (any more), or the watch is stopped.
    ///
    /// - Throws: ``SyncError`` with code `otherOrigin` for a mirror without a server, which no end of a pause would let it sync.
    private func waitWhilePaused(_ setting: WatchSetting) async throws {
        var isPaused = false
        // Where that can't be read, no sync can begin either, and reports why.
        while !Task.isCancelled, let since = try? folder.pausedAt() {
            if (try? folder.isCatalogue()) == true { throw Origins.noServer(of: partner) }
            if !isPaused { setting.observer.handler(.paused(since: since)) }
            isPaused = true
            await wait(setting.pauseInterval, as: .paused)
        }
        if isPaused, !Task.isCancelled { setting.observer.handler(.resumed) }
    }

    /// Waits that long, until somebody wants a try now, or the watch is stopped.
    private func wait(_ wait: Duration, as phase: WatchStatus.Phase) async {
        let clock = setting.clock
        let waiting = Task(executorPreference: setting.executor) { try await clock.sleep(wait) }
        state.withLock { state in
            state.phase = phase
            state.waiting = waiting
        }
        await withTaskCancellationHandler {
            _ = await waiting.result
        } onCancel: {
            waiting.cancel()
        }
        state.withLock { $0.waiting = nil }
    }

    /// A watch that never got anything leaves no folder behind.
    private func cleanUp() {
        guard !folder.exists else { return }
        try? FileManager.default.removeItem(atPath: folder.watchLock)
        try? folder.removeEmpty()
    }

    /// Asks all feeds now, or polls; whatever their back-off says; tries the first sync again at once if it waits to be.
    public func pollNow() {
        let (follower, waiting) = state.withLock { ($0.follower, $0.waiting) }
        waiting?.cancel()
        follower?.pollNow()
    }

    /// The state of the watch; at any time, from any task.
    public var status: WatchStatus {
        let (phase, follower) = state.withLock { ($0.phase, $0.follower) }
        var status = WatchStatus()
        status.phase = phase
        follower?.add(to: &status)
        status.tally = setting.tally.sums
        return status
    }
}
