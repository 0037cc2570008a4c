import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// What the loops of one mirror share.
final class FeedContext: Sendable {
    /// What a loop tells its watch.
    struct Signals: Sendable {
        /// Something of these kinds was stored.
        let stored: @Sendable (Set<Kind>) -> Void
        /// The server has no events after all.
        let noEvents: @Sendable () -> Void
        /// The watch can't go on.
        let ends: @Sendable (any Error) -> Void
    }

    let setting: WatchSetting
    let store: CatalogueStore
    let session: InterceptableSession
    let router: Router
    let extensions: Set<String>
    let observer: WatchObserver
    let lock: SharedRunLock
    let tally: WatchTally
    let files: FileQueue
    let ghosts = GhostAttempts()
    /// What failed alike in the last sync, and since in the tries of a refresh.
    let failures = Mutex(RepeatedFailures())
    let signals: Signals
    /// The database's inode when it was opened.
    private let place: Int?

    init(
        setting: WatchSetting, store: CatalogueStore, session: InterceptableSession, router: Router,
        extensions: Set<String>, observer: WatchObserver, lock: SharedRunLock, tally: WatchTally,
        signals: Signals
    ) {
        self.setting = setting
        self.store = store
        self.session = session
        self.router = router
        self.extensions = extensions
        self.observer = observer
        self.lock = lock
        self.tally = tally
        self.signals = signals
        files = FileQueue(isWanted: setting.options.media)
        place = Self.inode(setting.folder)
    }

    /// Whether the mirror still is where it was: what is written to a file that was removed is lost.
    var isInPlace: Bool { place == nil || Self.inode(setting.folder) == place }

    private static func inode(_ folder: MirrorFolder) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: folder.database)[.systemFileNumber] as? Int
    }

    /// A feed that is about to be asked: what the server wants to be waited for longer than a moment is left to the loop's
    /// back-off, so that the others go on.
    func feed(show: String? = nil) -> EventsFeed {
        EventsFeed(session: session.withOwnWaits(upTo: .seconds(5)), router: router, show: show)
    }

    /// Removes what the cache holds of all objects that a page names. The run lock must be held: the file may be open in
    /// one program only.
    func forgetCached(_ changes: PageChanges) {
        let lent = setting.lent?.cache
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

    /// What a run works with that asks through the feeds' session.
    ///
    /// A session bounds the sum of its waits; this one lives for weeks, and several flows use it at once.
    func environment(
        _ applier: any WriteReceiver, _ options: SyncOptions, report: SyncReport = SyncReport(),
        run: Int64 = 0
    ) -> SyncEnvironment {
        SyncEnvironment(
            partner: router.partnerID, store: store, files: setting.folder.files,
            sender: SessionSender(session.withOwnWaits(upTo: .seconds(60))), applier: applier, report: report,
            options: options, run: run, freeSpace: setting.freeSpace,
            downloads: files.downloads, logger: setting.logger, now: setting.now
        ).identified(as: router.partnerID, extensions: extensions)
    }
    /// The server's time, as far as it was ever measured.
    func serverTime() throws -> Date {
        try setting.now().addingTimeInterval(store.clockOffset)
    }

    /// The wall clock's time of a reading of the loops' clock.
    func date(_ reading: Duration) -> Date {
        setting.now().addingTimeInterval((reading - setting.clock.now()) / .seconds(1))
    }

    // MARK: - Loops' rows

    func health(of id: LoopID) -> LoopHealth {
        guard let row = try? store.loop(id), let health = row.storedHealth else { return LoopHealth() }
        return health
    }

    /// Stores how a loop is, and tells of it.
    func note(_ health: LoopHealth, of id: LoopID, _ kind: LoopRecord.Kind) {
        if health.state != .well { tally.add(.failures) }
        note(LoopRecord(id: id, kind: kind, health: health, date: date))
    }

    func note(_ record: LoopRecord) {
        do {
            try store.note(record)
        } catch {
            problem(error, about: record.id)
        }
        observer.handler(.loopChanged(record))
    }

    func problem(_ error: any Error, about id: String) {
        observer.handler(
            .problem(Problem(what: "loop", kind: nil, id: id, message: "\(error)")))
    }
}

extension LoopRecord {
    /// What is stored of a loop's health.
    init(id: String, kind: Kind, health: LoopHealth, date: (Duration) -> Date) {
        self.init(
            id: id, kind: kind, state: health.state == .well ? Self.enabled : health.state.rawValue,
            failures: max(health.failures, health.troubles), message: health.lastError,
            nextAt: health.nextTry.map { CatalogueStore.text(of: date($0)) },
            health: health.state == .well ? nil : Self.text(health))
    }

    private static func text(_ health: LoopHealth) -> String? {
        (try? JSONEncoder().encode(health)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// `nil` for a loop that is well, guarded or over, and for what can't be read.
    var storedHealth: LoopHealth? {
        guard LoopHealth.State(rawValue: state) != nil, let health else { return nil }
        return try? JSONDecoder().decode(LoopHealth.self, from: Data(health.utf8))
    }
}
