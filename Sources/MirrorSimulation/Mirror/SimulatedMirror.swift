import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// A mirror that syncs from a ``SimulatedPartner``, with the real sync and the real store, in synchronous mode.
///
/// Its database and its cache stay open from one run to the next, until the process is killed. This saves most of a
/// history's time. In some histories each sync and each watch opens and closes its own files, as the command does, with
/// all hooks; in the others, some watches do.
final class SimulatedMirror: Sendable {
    let folder: MirrorFolder
    let partner: SimulatedPartner
    let keepShows: Duration?
    /// Whether each run opens and closes its own files.
    let opensOwnFiles: Bool
    /// Whether the files belong to the workspace and stay open, and nothing is checked between two runs.
    private let usesSharedFiles: Bool
    /// Everything that was logged.
    let log = Transcript(keepsLines: true)
    private let store: Mutex<CatalogueStore?>
    private let cache: Mutex<CanonicalURLCache?>
    private let running = Mutex(false)
    private let injectedBug: InjectedBug?
    /// Checked after each commit.
    private let liveInvariants: LiveInvariants?
    private let random: Mutex<SplitMix>

    init(
        _ slot: HistoryWorkspace.Slot, partner: SimulatedPartner, keepShows: Duration?, random: SplitMix,
        injectedBug: InjectedBug?, liveInvariants: LiveInvariants?
    ) {
        self.injectedBug = injectedBug
        self.liveInvariants = liveInvariants
        folder = slot.folder
        opensOwnFiles = slot.opensOwnFiles
        usesSharedFiles = slot.open != nil
        store = Mutex(slot.open?.store)
        cache = Mutex(slot.open?.cache)
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
        return try disk.exemptingFromCrashes {
            let opened = try CatalogueStore.open(at: folder.database, now: now)
            if let liveInvariants {
                opened.pool.add(
                    transactionObserver: CommitObserver(liveInvariants), extent: .databaseLifetime)
            }
            store.withLock { $0 = opened }
            return opened
        }
    }

    private func openedCache() -> CanonicalURLCache {
        if let cache = cache.withLock({ $0 }) { return cache }
        return disk.exemptingFromCrashes {
            let clock = clock
            let opened = CanonicalURLCache(
                file: URL(filePath: folder.cache), origin: SimulatedPartner.base, now: { clock.local })
            cache.withLock { $0 = opened }
            return opened
        }
    }

    /// Uses the database between two runs or during one; opens it if necessary.
    func access<T>(_ body: (CatalogueStore) throws -> T) throws -> T { try body(opened()) }

    /// Uses the database only if it is open.
    func accessIfOpen<T>(_ body: (CatalogueStore) throws -> T) throws -> T? {
        try store.withLock({ $0 }).map(body)
    }

    /// Closes all files, even after a crash.
    func close() {
        guard !usesSharedFiles else { return }
        closeCache()
        let closing = store.withLock { store in
            defer { store = nil }
            return store
        }
        // After a crash, the write-ahead log cannot be folded into the database.
        do { try closing?.close(checkpointing: !disk.hasCrashed) } catch {
            if !disk.hasCrashed { partner.transcript.note("local: closing failed: \(error)") }
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

    /// Random digits for ids and keys that are made locally.
    func digits(_ count: Int) -> String {
        random.withLock { random in
            String((0..<count).map { _ in random.element(of: Array("0123456789abcdef")) ?? "0" })
        }
    }

    /// Whether a run holds the mirror's lock.
    var isRunning: Bool { running.withLock { $0 } }

    /// Logs are only searched for secrets, and so they are not captured if there is none.
    private var capturesLogs: Bool { partner.traits.access != .open }

    private var logger: Logger {
        guard capturesLogs else {
            var silent = Logger(label: "mirror.simulation")
            silent.logLevel = .critical
            return silent
        }
        let log = log
        return Logger(label: "mirror.simulation") { _ in TranscriptLogHandler(log: log) }
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
            let capture: @Sendable (String) -> Void = { log.note($0) }
            return try InterceptableSession(
                base: base, transport: injectedBug?.transport?(partner, folder) ?? partner, cache: cache,
                interceptors: .standard(credentials: credentials, log: capturesLogs ? capture : nil),
                configuration: configuration)
        }
    }

    private func options(_ change: (inout SyncOptions) -> Void) -> SyncOptions {
        var options = SyncOptions()
        options.keepShows = keepShows
        options.media = partner.traits.hasMedia
        options.synchronous = true
        if partner.traits.hasLargeSnapshot { options.maximumLinesWithIndexes = 0 }
        change(&options)
        return options
    }

    private func prepared(_ change: (inout SyncOptions) -> Void) -> Sync {
        var sync = Sync(
            partner: "p", folder: folder, base: SimulatedPartner.base, options: options(change),
            freeSpace: FreeSpace { _ in nil }, logger: logger, now: now, makeSession: makeSession)
        // The folders of simulations are in memory.
        sync.disk = DiskSync(path: { _ in true }, fileSystem: nil)
        return sync
    }

    /// Runs a dry run.
    func plan(_ change: (inout SyncOptions) -> Void) async throws -> SyncSummary {
        try await prepared(change).plan()
    }

    /// Runs a sync.
    ///
    /// - Parameter inOpenFiles: whether the sync uses the open files, even if other runs open their own.
    func sync(
        inOpenFiles: Bool = false, monitor: SyncMonitor = SyncMonitor(),
        _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        let sync = prepared(change)
        // The lock is checked before each request, and is taken before the first.
        running.withLock { $0 = true }
        defer { running.withLock { $0 = false } }
        guard !opensOwnFiles || inOpenFiles else { return try await sync.run(monitor) }
        let store = try opened(), cache = openedCache(), lock = usesSharedFiles ? nil : try RunLock(folder)
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

    /// Prepares a watch, which has not begun yet.
    func watch(_ handler: @escaping @Sendable (WatchEvent) -> Void) throws -> FeedRounds {
        // A watch that opens its own files is a process of its own, and only one process may use the cache's file.
        let isOwn = opensOwnFiles || random.withLock { $0.chance(15) }
        if isOwn { closeCache() }
        let sharedConnections = isOwn ? nil : SharedConnections(store: try opened(), cache: openedCache())
        let clock = clock
        var sync = prepared { $0.maxDelete = .total(1_000) }
        sync.sharedConnections = sharedConnections
        return FeedRounds(
            sync, elapsed: { clock.elapsed }, random: { self.random.withLock { $0.unit() } },
            observer: WatchObserver(handler: handler))
    }
}

/// Writes log messages of all levels to a transcript.
private struct TranscriptLogHandler: LogHandler {
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
