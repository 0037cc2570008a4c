import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// A mirror that syncs from a ``SimulatedPartner``, with the real sync and the real store, in synchronous mode.
///
/// Its files are ``SimulatedFiles``. In some histories each sync and each watch opens and closes its own files, as the command
/// does, with all hooks; in the others, some watches do.
final class SimulatedMirror: Sendable {
    let files: SimulatedFiles
    let partner: SimulatedPartner
    let keepShows: Duration?
    /// Everything that was logged.
    let log = Transcript(keepsLines: true)
    private let injectedBug: InjectedBug?
    private let random: Mutex<SplitMix>

    init(
        _ slot: HistoryWorkspace.Slot, partner: SimulatedPartner, keepShows: Duration?, random: SplitMix,
        injectedBug: InjectedBug?, liveInvariants: LiveInvariants?
    ) {
        self.injectedBug = injectedBug
        files = SimulatedFiles(
            slot, disk: partner.disk, base: SimulatedPartner.base, transcript: partner.transcript,
            liveInvariants: liveInvariants)
        self.partner = partner
        self.keepShows = keepShows
        self.random = Mutex(random)
    }

    var folder: MirrorFolder { files.folder }
    var disk: CrashDisk { partner.disk }
    /// Whether each run opens and closes its own files.
    var opensOwnFiles: Bool { files.opensOwnFiles }
    private var clock: SimulatedClock { partner.clock }

    /// Uses the database between two runs or during one; opens it if necessary.
    func access<T>(_ body: (CatalogueStore) throws -> T) throws -> T { try files.access(body) }

    /// Closes all files, even after a crash.
    func close() { files.close() }

    func end() throws { try files.end() }

    // MARK: - Runs

    /// Random digits for ids and keys that are made locally.
    func digits(_ count: Int) -> String {
        random.withLock { random in
            String((0..<count).map { _ in random.element(of: Array("0123456789abcdef")) ?? "0" })
        }
    }

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
        files.prepared(
            base: SimulatedPartner.base, options(change), logger: logger, makeSession: makeSession)
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
        try await files.run(prepared(change), inOpenFiles: inOpenFiles, monitor: monitor)
    }

    /// Prepares a watch, which has not begun yet.
    func watch(_ handler: @escaping @Sendable (WatchEvent) -> Void) throws -> FeedRounds {
        // A watch that opens its own files is a process of its own, and only one process may use the cache's file.
        let isOwn = opensOwnFiles || random.withLock { $0.chance(15) }
        if isOwn { files.closeCache() }
        let sharedConnections = isOwn ? nil : try files.connections()
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
