import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// What the loops of one mirror share.
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
    /// What failed alike in the last sync, and since in the tries of a refresh.
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

    /// The follower that runs the loops; `nil` where a test calls a loop by itself.
    var follower: Follower? {
        get { reference.withLock { $0.follower } }
        set { reference.withLock { $0.follower = newValue } }
    }

    /// A feed that is about to be asked. A wait of more than a moment that the server wants is left to the loop's
    /// back-off, so that the others go on.
    func feed(show: String? = nil) -> EventsFeed {
        EventsFeed(session: session.withOwnWaits(upTo: .seconds(5)), router: router, show: show)
    }

    /// Removes what the cache holds of all objects that a page names. The run lock must be held: the file may be open in
    /// one program only.
    func forgetCached(_ changes: PageChanges) {
        let lent = setting.firstSync.lent?.cache
        guard lent != nil || FileManager.default.fileExists(atPath: setting.folder.cache) else { return }
        let cache =
            lent
            ?? CanonicalURLCache(
                file: URL(fileURLWithPath: setting.folder.cache), origin: session.base,
                diskCapacity: Sync.cacheCapacity)
        let changed = changes.changed.mapValues { $0.map(\.id) }.merging(changes.gone) { $0 + $1 }
        cache.forget(changed.flatMap { kind, ids in ids.compactMap { router.object(kind, $0) } })
        if changes.partner != nil { cache.forget([router.partner()]) }
        lent == nil ? cache.close() : cache.flush()
    }

    /// The environment of a run that sends its requests through the feeds' session.
    ///
    /// A session bounds the sum of its waits; this one lives for weeks, and several flows use it at once.
    func environment(
        _ applier: any WriteReceiver, _ options: SyncOptions, report: SyncReport = SyncReport(),
        run: Int64 = 0
    ) -> SyncEnvironment {
        var environment = SyncEnvironment(
            partner: router.partnerID, store: store, files: setting.folder.files,
            sender: session.withOwnWaits(upTo: .seconds(60)), applier: applier, report: report,
            options: options, run: run, freeSpace: setting.firstSync.freeSpace,
            downloads: files.downloads, logger: setting.firstSync.logger, now: setting.now
        ).identified(as: router.partnerID, extensions: extensions)
        environment.tree = setting.tree
        return environment
    }

    /// What the watch's tree lists, beside the whole tree.
    var coverage: TreeCoverage {
        TreeCoverage(setting.tree, of: store.kinds, tiles: setting.options.tiles)
    }

    /// The server's time, as far as it was ever measured.
    func serverTime() throws -> Date {
        try setting.now().addingTimeInterval(store.clockOffset)
    }

    /// The wall clock's time of a reading of the loops' clock.
    func date(_ reading: Duration) -> Date {
        setting.now().adding(reading - setting.clock.now())
    }

    // MARK: - Reports

    func notify(_ event: WatchEvent) { setting.observer.handler(event) }

    /// Stores a loop's row, and reports it.
    func note(_ record: LoopRecord) {
        reporting(record.id) { try store.note(record) }
        notify(.loopChanged(record))
    }

    /// Does something whose failure is reported, and keeps nothing else from going on.
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

    /// A page, or a refresh, was stored.
    func pageApplied(_ page: WatchedPage) {
        setting.tally.add(.pages)
        notify(.pageApplied(page))
        follower?.stored(Set(page.objects.keys.compactMap { store.kinds[$0] }))
    }
}
