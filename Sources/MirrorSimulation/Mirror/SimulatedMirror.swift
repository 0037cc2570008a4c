import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// A mirror that synchronises, synchronously, from a ``SimulatedPartner``: the shipped engine over the shipped store.
///
/// Its database and cache stay open from one run to the next, which spares most of a history's time, until the process
/// dies. In some histories each sync and each watch opens and closes its own, as the command does, with all hooks around it;
/// in the others, some watches do.
final class SimulatedMirror: Sendable {
    let folder: MirrorFolder
    let partner: SimulatedPartner
    let keepShows: Duration?
    /// Whether each run opens and closes its own files.
    let isWhole: Bool
    /// Whether they are others', stay open, and nobody wants to know what happens between two runs.
    private let isLent: Bool
    /// What logs were told.
    let log = Transcript(keepsLines: true)
    private let store: Mutex<CatalogueStore?>
    private let cache: Mutex<CanonicalURLCache?>
    private let running = Mutex(false)
    private let sabotage: Sabotage?
    /// Looks behind each commit.
    private let lookout: Lookout?
    private let random: Mutex<SplitMix>

    init(
        _ room: HistoryPlace.Room, partner: SimulatedPartner, keepShows: Duration?, random: SplitMix,
        sabotage: Sabotage?, lookout: Lookout?
    ) {
        self.sabotage = sabotage
        self.lookout = lookout
        folder = room.folder
        isWhole = room.isWhole
        isLent = room.open != nil
        store = Mutex(room.open?.store)
        cache = Mutex(room.open?.cache)
        self.partner = partner
        self.keepShows = keepShows
        self.random = Mutex(random)
    }

    var disk: CrashDisk { partner.disk }
    private var clock: SimulatedClock { partner.clock }
    private var now: @Sendable () -> Date {
        { [clock] in Date(timeIntervalSince1970: clock.local) }
    }

    // MARK: - Files

    private func opened() throws -> CatalogueStore {
        if let store = store.withLock({ $0 }) { return store }
        return try disk.sparing {
            let opened = try CatalogueStore.open(at: folder.database, now: now)
            if let lookout {
                opened.pool.add(transactionObserver: CommitWatch(lookout), extent: .databaseLifetime)
            }
            store.withLock { $0 = opened }
            return opened
        }
    }

    private func openedCache() -> CanonicalURLCache {
        if let cache = cache.withLock({ $0 }) { return cache }
        return disk.sparing {
            let clock = clock
            let opened = CanonicalURLCache(
                file: URL(filePath: folder.cache), origin: SimulatedPartner.base, now: { clock.local })
            cache.withLock { $0 = opened }
            return opened
        }
    }

    /// Uses the database beside a run, or between two.
    func access<T>(_ body: (CatalogueStore) throws -> T) throws -> T { try body(opened()) }

    /// Uses the database if it is open anyway.
    func glance<T>(_ body: (CatalogueStore) throws -> T) throws -> T? {
        try store.withLock({ $0 }).map(body)
    }

    /// Closes all files, as far as they can be.
    func close() {
        guard !isLent else { return }
        closeCache()
        let closing = store.withLock { store in
            defer { store = nil }
            return store
        }
        // A dead disk lets nothing be folded in, and so says no good bye.
        do { try closing?.close(folding: !disk.isDead) } catch {
            if !disk.isDead { partner.transcript.note("here: closing failed: \(error)") }
        }
    }

    private func closeCache() {
        let closing = cache.withLock { $0.take() }
        closing?.close()
    }

    func end() throws {
        close()
        disk.remove()
        try FileManager.default.removeItem(
            atPath: URL(filePath: folder.path).deletingLastPathComponent().path)
    }

    // MARK: - Runs

    /// Random digits for ids and keys that are made here.
    func digits(_ count: Int) -> String {
        random.withLock { random in
            String((0..<count).map { _ in random.element(of: Array("0123456789abcdef")) ?? "0" })
        }
    }

    /// Whether a run holds the mirror's lock now.
    var isRunning: Bool { running.withLock { $0 } }

    /// Where there is no secret, nobody looks for one in what is logged.
    private var isHeard: Bool { partner.traits.access != .open }

    private var logger: Logger {
        guard isHeard else {
            var silent = Logger(label: "mirror.simulation")
            silent.logLevel = .critical
            return silent
        }
        let log = log
        return Logger(label: "mirror.simulation") { _ in LogKeeper(log: log) }
    }

    private var makeSession: @Sendable (String, CanonicalURLCache?) throws -> InterceptableSession {
        { [self] base, cache in
            let configuration = SessionConfiguration(
                clock: clock.session, random: { self.random.withLock { $0.unit() } })
            let credentials: Credentials =
                switch partner.traits.access {
                case .open: .none
                case .token(let token): .token(token)
                case .login(let password): .login(name: SimulatedPartner.name, password: password)
                }
            let log = log
            let hear: @Sendable (String) -> Void = { log.note($0) }
            return try InterceptableSession(
                base: base, transport: sabotage?.transport?(partner, folder) ?? partner, cache: cache,
                interceptors: .standard(credentials: credentials, log: isHeard ? hear : nil),
                configuration: configuration)
        }
    }

    private func options(_ change: (inout SyncOptions) -> Void) -> SyncOptions {
        var options = SyncOptions()
        options.keepShows = keepShows
        options.media = partner.traits.hasMedia
        options.synchronous = true
        if partner.traits.isLarge { options.mostWithIndexes = 0 }
        change(&options)
        return options
    }

    private func prepared(_ change: (inout SyncOptions) -> Void) -> Sync {
        var sync = Sync(
            partner: "p", folder: folder, base: SimulatedPartner.base, options: options(change),
            freeSpace: FreeSpace { _ in nil }, logger: logger, now: now, makeSession: makeSession)
        // The disks of simulations are memory.
        sync.disk = DiskSync(path: { _ in true }, fileSystem: nil)
        return sync
    }

    /// What a sync would do.
    func plan(_ change: (inout SyncOptions) -> Void) async throws -> SyncSummary {
        try await prepared(change).plan()
    }

    /// - Parameter inOpenFiles: not in files of its own, even where other runs are.
    func sync(
        inOpenFiles: Bool = false, monitor: SyncMonitor = SyncMonitor(),
        _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        let sync = prepared(change)
        // The lock is looked for before each request; none is sent before it is taken.
        running.withLock { $0 = true }
        defer { running.withLock { $0 = false } }
        guard !isWhole || inOpenFiles else { return try await sync.run(monitor) }
        let store = try opened(), cache = openedCache(), lock = isLent ? nil : try RunLock(folder)
        defer { withExtendedLifetime(lock) {} }
        let run = try store.beginRun("sync")
        let summary: SyncSummary
        do {
            summary = try await sync.work(in: store, as: run, cache: cache, monitor)
        } catch {
            summary = SyncSummary(partner: "p", failure: error)
        }
        try store.endRun(
            run, outcome: summary.outcome.rawValue, summary: "{}",
            errors: summary.problems.map {
                LoggedProblem(what: $0.what, kind: $0.kind, id: $0.id, message: $0.message)
            })
        return summary
    }

    /// A watch that is about to begin.
    func watch(_ handler: @escaping @Sendable (WatchEvent) -> Void) throws -> FeedRounds {
        // A watch with files of its own is a process of its own, and the cache's file one process's.
        let isOwn = isWhole || random.withLock { $0.chance(15) }
        if isOwn { closeCache() }
        let lent = isOwn ? nil : SharedConnections(store: try opened(), cache: openedCache())
        let clock = clock
        var sync = prepared { $0.maxDelete = .total(1_000) }
        sync.lent = lent
        return FeedRounds(
            sync, elapsed: { clock.elapsed }, random: { self.random.withLock { $0.unit() } },
            observer: WatchObserver(handler: handler))
    }
}

/// Keeps what a logger is told, whatever its level.
private struct LogKeeper: LogHandler {
    let log: Transcript
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    init(log: Transcript) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.note("\(event.level) \(event.message) \(event.metadata ?? [:])") }
}
