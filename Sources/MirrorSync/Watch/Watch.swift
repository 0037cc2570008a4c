import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops
import Synchronization

/// Keeps one mirror current until it is stopped: by one sync, then by feeds of events, or by syncs at intervals.
///
/// ```swift
/// let watch = Watch(partner: "louvre", folder: folder) { base, cache in try InterceptableSession(…) }
/// let running = Task { try await watch.run(WatchObserver(handler: { print($0) })) }
/// …
/// running.cancel()
/// try await running.value
/// ```
///
/// It is made like a ``Sync``. Each mirror needs its own, and one process can run several. While it runs, it holds the mirror's
/// watch lock. It takes the run lock only while it stores something, so that other commands can change the mirror in between.
public final class Watch: Sendable {
    private struct State: Sendable {
        var phase = WatchStatus.Phase.notStarted
        var follower: Follower?
        var waiting: Task<Void, any Error>?
    }

    let setting: WatchSetting
    private let state = Mutex(State())
    private let hasRun = Atomic(false)

    /// The partner's slug.
    public var partner: String { setting.partner }
    /// The mirror's folder.
    public var folder: MirrorFolder { setting.folder }
    /// From one request of a feed to the next; without events, the shortest time from one sync to the next.
    public var interval: Duration { setting.interval }

    /// Makes a watch; nothing happens before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - partner: the partner's slug.
    ///   - folder: the mirror's folder.
    ///   - base: the origin's base URL; `nil` for the stored one.
    ///   - isNewOrigin: whether `base` may be on another host than the stored one; as for ``Sync``.
    ///   - options: the options of all its syncs. They also select the pictures that are fetched for events.
    ///   - interval: from one request of a feed to the next. Default 30 s, at least 1 s. Without events, it is the shortest time
    ///     from one sync to the next.
    ///   - keepAwake: prevents sleep during its syncs. Default `nil`: nothing does.
    ///   - freeSpace: checks the disk before its syncs.
    ///   - tree: the tree of all its syncs, which also fetches the objects and files that a feed contains; ``SyncTree`` says how
    ///     an app makes one. If the tree leaves out a standard node, events aren't followed, and the watch syncs at intervals.
    ///   - hooks: called around each sync, as for ``Sync``, and around each refresh, which requests the lists of some kinds again
    ///     when the feed's cursor is too old (``HookContext/command`` is `refresh` then). They aren't called for pages of events.
    ///   - logger: gets messages for debugging, and notices about single syncs.
    ///   - now: the wall clock, for stored dates.
    ///   - clock: measures the intervals. Default: the system's continuous clock, whose reading begins at `now`.
    ///   - executor: where the loops and items run. Default `nil`: the default executor.
    ///   - random: numbers in `0..<1`, for back-off.
    ///   - items: an app's own items, which run at their intervals while the mirror is followed and the watch isn't paused. An
    ///     item in the serial lane never runs during a sync of all kinds of the watch. Their ids must be unique, and none of the
    ///     watch's own: `upkeep`, `pause`, `counts`, `edits`, `sync`, `files`.
    ///   - loops: an app's own feeds, requested in the same queue and at the same interval as the partner's, even if the partner
    ///     has no events. A sync of all kinds or a pause suspends them, too. A `CoreLoop` among them gets the scheduler as its
    ///     delegate. Their ids must be unique, and none of the watch's own: `partner`, `poll`, or `show:` and an id.
    ///   - makeSession: makes a session, as for ``Sync``. It is called for each sync, and once for the feeds.
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
        // A watch follows all kinds, so `only` is ignored.
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

    /// Watches until its task is cancelled. Then running work is finished or cancelled, nothing more is stored, and it returns.
    ///
    /// Call it once; a second call returns at once.
    ///
    /// Temporary failures don't end it, not even in the first sync: a server that can't be reached or fails, another run that
    /// holds the mirror's lock, a full disk. When the budget of a described source is used up for a day, or its server blocks
    /// requests, it waits until requests are allowed again. After a successful sync, a partner that is suddenly unknown and a login that is
    /// suddenly refused are treated as temporary, too. It tries again without limit, at growing intervals of up to half an hour.
    ///
    /// - Parameter observer: receives events and the monitors' reports.
    /// - Throws: errors that only a person can fix: ``SyncError`` with `unknownPartner` or `notAuthorised` in the first sync, or
    ///   with `otherOrigin`, `source` or `ended`; ``StoreError`` with `locked` if the mirror is watched already, `newerVersion`, `damaged`,
    ///   `readOnly` or another code that no retry solves.
    public func run(_ observer: WatchObserver = WatchObserver()) async throws {
        guard !hasRun.exchange(true, ordering: .relaxed) else { return }
        defer { state.withLock { $0 = State(phase: .stopped) } }
        var setting = setting
        setting.observer = observer
        try folder.prepare()
        let watching = try RunLock(watching: folder)
        defer { withExtendedLifetime(watching) { cleanUp() } }
        // Whether the mirror was synced from this server before, and whether the server has accepted the login in this watch.
        var isKnown = folder.exists, hasFollowed = false, failures = 0
        while !Task.isCancelled {
            try await waitWhilePaused(setting)
            if Task.isCancelled { return }
            state.withLock { $0.phase = .syncing(.first) }
            let first = await setting.run(.first)
            switch WatchVerdict(first, isKnown: isKnown) {
            case .cancelled: return
            case .waits(let until):
                setting.tally.addStored(first.requests)
                isKnown = isKnown || folder.exists
                failures += 1
                let wait = BackOff().delay(afterFailures: failures, random: setting.random())
                let retry = max(until, setting.now().adding(wait))
                await self.wait(
                    .seconds(max(0, retry.timeIntervalSince(setting.now()))), as: .retrying(at: retry))
                continue
            case .ends(let error) where !hasFollowed || !Self.isRefusedLogin(error): throw error
            case .retries, .ends: break
            // Not one list of a described source could be read, so that the mirror has no partner yet.
            case .continues where first.pace != nil && !isIdentified: break
            case .continues:
                setting.tally.addStored(first.requests)
                let began = setting.clock.now()
                // A login that was accepted before may be accepted again.
                guard try await isLoginRefused(setting, following: first) else { return }
                // If only the feed refuses the login, each new sync succeeds. Back-off prevents a sync every few seconds.
                if setting.clock.now() - began > Self.stableTime { failures = 0 }
                (hasFollowed, isKnown) = (true, folder.exists)
            }
            failures += 1
            let wait = BackOff().delay(afterFailures: failures, random: setting.random())
            await self.wait(wait, as: .retrying(at: setting.now().adding(wait)))
        }
    }

    /// If feeds were followed for longer than this before the login was refused, back-off starts again with a short wait.
    private static let stableTime: Duration = .seconds(3_600)

    /// Follows until the task is cancelled, or the login is refused.
    ///
    /// - Returns: `true` if the login was refused, `false` if the task was cancelled.
    /// - Throws: other errors that only a person can fix.
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
        // An own task: the wait for running work must not end early because this task is cancelled.
        await Task { await follower.stop() }.value
        state.withLock { $0.follower = nil }
        guard let failure else { return false }
        guard Self.isRefusedLogin(failure) else { throw failure }
        return true
    }

    /// Whether a described source has answered, so that the mirror remembers it and has its partner.
    private var isIdentified: Bool { ((try? folder.rememberedSource()) ?? nil) != nil }

    private static func isRefusedLogin(_ error: any Error) -> Bool {
        (error as? SyncError)?.code == .notAuthorised
    }

    /// Returns when the watch isn't paused (any more), or when it is stopped.
    ///
    /// - Throws: ``SyncError`` with code `otherOrigin` for an imported catalogue, which has no server to sync from.
    private func waitWhilePaused(_ setting: WatchSetting) async throws {
        var isPaused = false
        // If the state can't be read, the sync can't begin either, and reports the reason.
        while !Task.isCancelled, let since = try? folder.pausedAt() {
            if (try? folder.isCatalogue()) == true { throw Origins.noServer(of: partner) }
            if !isPaused { setting.observer.handler(.paused(since: since)) }
            isPaused = true
            await wait(setting.pauseInterval, as: .paused)
        }
        if isPaused, !Task.isCancelled { setting.observer.handler(.resumed) }
    }

    /// Waits for this time, or until ``pollNow()`` is called or the watch is stopped.
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

    /// Removes the folder if no mirror was stored.
    private func cleanUp() {
        guard !folder.exists else { return }
        try? FileManager.default.removeItem(atPath: folder.watchLock)
        try? folder.removeEmpty()
    }

    /// Requests all feeds now, or polls, regardless of back-off. If the first sync waits to be retried, it is retried now.
    public func pollNow() {
        let (follower, waiting) = state.withLock { ($0.follower, $0.waiting) }
        waiting?.cancel()
        follower?.pollNow()
    }

    /// The present state of the watch. It may be read at any time, from any task.
    public var status: WatchStatus {
        let (phase, follower) = state.withLock { ($0.phase, $0.follower) }
        var status = WatchStatus()
        status.phase = phase
        follower?.add(to: &status)
        status.tally = setting.tally.sums
        return status
    }
}
