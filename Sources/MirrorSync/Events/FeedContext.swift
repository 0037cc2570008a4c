import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// The state that the loops of one mirror share.
final class FeedContext: Sendable {
    private struct Reference {
        weak var follower: Follower?
    }

    let setting: WatchSetting
    let store: CatalogueStore
    let session: InterceptableSession
    let router: Router
    let extensions: Set<String>
    let files: FileQueue
    let ghosts = GhostAttempts()
    /// Requests that failed in the same way in the last sync and in the refreshes since then.
    let failures: Mutex<RepeatedFailures>
    private let reference = Mutex(Reference())

    init(
        _ setting: WatchSetting, store: CatalogueStore, session: InterceptableSession, router: Router,
        extensions: Set<String>, failures: RepeatedFailures = RepeatedFailures()
    ) {
        self.setting = setting
        self.store = store
        self.session = session
        self.router = router
        self.extensions = extensions
        self.failures = Mutex(failures)
        files = FileQueue(isWanted: setting.options.media)
    }

    /// The follower that runs the loops; `nil` where a test calls a loop directly.
    var follower: Follower? {
        get { reference.withLock { $0.follower } }
        set { reference.withLock { $0.follower = newValue } }
    }

    /// Creates the feed of the partner or of a show.
    ///
    /// Its session waits for 5 s at most. If the server asks for a longer wait, the request fails and the loop's back-off
    /// takes over, so that the other loops continue.
    func feed(show: String? = nil) -> EventsFeed {
        EventsFeed(session: session.withSeparateWaits(upTo: .seconds(5)), router: router, show: show)
    }

    /// Removes the cached answers of all objects that a page names.
    ///
    /// The caller must hold the run lock, because only one program may have the cache's file open.
    func forgetCached(_ changes: PageChanges) {
        let lent = setting.firstSync.lent?.cache
        guard lent != nil || FileManager.default.fileExists(atPath: setting.folder.cache) else { return }
        let cache =
            lent
            ?? CanonicalURLCache(
                file: URL(fileURLWithPath: setting.folder.cache), origin: session.base,
                diskCapacity: Sync.cacheCapacity)
        let changed = changes.changed.mapValues { $0.map(\.id) }.merging(changes.deleted) { $0 + $1 }
        cache.forget(changed.flatMap { kind, ids in ids.compactMap { router.object(kind, $0) } })
        if changes.partner != nil { cache.forget([router.partner()]) }
        lent == nil ? cache.close() : cache.flush()
    }

    /// Creates the environment of a run that sends its requests through the feeds' session.
    ///
    /// A session limits the sum of its waits. The feeds' session lives for weeks and several tasks use it at once, so each
    /// run has a limit of its own: 60 s.
    func environment(
        _ applier: any WriteReceiver, _ options: SyncOptions, report: SyncReport = SyncReport(),
        run: Int64 = 0
    ) -> SyncEnvironment {
        var environment = SyncEnvironment(
            partner: router.partnerID, store: store, files: setting.folder.files,
            sender: session.withSeparateWaits(upTo: .seconds(60)), applier: applier, report: report,
            options: options, run: run, freeSpace: setting.firstSync.freeSpace,
            downloads: files.downloads, logger: setting.firstSync.logger, now: setting.now
        ).identified(as: router.partnerID, extensions: extensions)
        environment.tree = setting.tree
        return environment
    }

    /// The kinds and nodes of the standard tree that the watch's tree contains.
    var coverage: TreeCoverage {
        TreeCoverage(setting.tree, of: store.kinds, tiles: setting.options.tiles)
    }

    /// The current time of the server's clock: the local time plus the last measured offset.
    func serverTime() throws -> Date {
        try setting.now().addingTimeInterval(store.clockOffset)
    }

    /// Converts a reading of the loops' clock to wall-clock time.
    func date(_ reading: Duration) -> Date {
        setting.now().adding(reading - setting.clock.now())
    }

    // MARK: - Reports

    func notify(_ event: WatchEvent) { setting.observer.handler(event) }

    /// Stores a loop's row and reports it to the observer.
    func note(_ record: LoopRecord) {
        reporting(record.id) { try store.note(record) }
        notify(.loopChanged(record))
    }

    /// Performs work whose failure is only reported, so that everything else continues.
    func reporting(_ id: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            problem(error, about: id)
        }
    }

    func problem(_ error: any Error, about id: String) {
        notify(.problem(Problem(what: "loop", kind: nil, id: id, message: "\(error)")))
    }

    /// Reports that a page or a refresh was stored.
    func pageApplied(_ page: WatchedPage) {
        setting.tally.add(.pages)
        notify(.pageApplied(page))
        follower?.stored(Set(page.objects.keys.compactMap { store.kinds[$0] }))
    }
}
