import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// The files of a simulated mirror, on a disk that can crash, and the runs that use them.
///
/// The database and the cache stay open from one run to the next, until the process is killed. This saves most of a
/// history's time. In some histories each run opens and closes its own files, as the command does, with all hooks.
final class SimulatedFiles: Sendable {
    let folder: MirrorFolder
    let disk: CrashDisk
    let clock: SimulatedClock
    /// Whether each run opens and closes its own files.
    let opensOwnFiles: Bool
    /// The base address of the server, whose answers the cache contains.
    let base: String
    /// Whether the files belong to the workspace and stay open, and nothing is checked between two runs.
    private let usesSharedFiles: Bool
    private let store: Mutex<CatalogueStore?>
    private let cache: Mutex<CanonicalURLCache?>
    private let running = Mutex(false)
    private let transcript: Transcript
    /// Checked after each commit.
    private let liveInvariants: LiveInvariants?

    init(
        _ slot: HistoryWorkspace.Slot, disk: CrashDisk, base: String, transcript: Transcript,
        liveInvariants: LiveInvariants?
    ) {
        (folder, clock, opensOwnFiles) = (slot.folder, slot.clock, slot.opensOwnFiles)
        (self.disk, self.base, self.transcript) = (disk, base, transcript)
        self.liveInvariants = liveInvariants
        usesSharedFiles = slot.open != nil
        store = Mutex(slot.open?.store)
        cache = Mutex(slot.open?.cache)
    }

    var now: @Sendable () -> Date {
        { [clock] in Date(timeIntervalSince1970: clock.local) }
    }

    // MARK: - Opening and closing

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
                file: URL(filePath: folder.cache), origin: base, now: { clock.local })
            cache.withLock { $0 = opened }
            return opened
        }
    }

    /// The open files; opens them if necessary.
    func connections() throws -> SharedConnections {
        SharedConnections(store: try opened(), cache: openedCache())
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
            if !disk.hasCrashed { transcript.note("local: closing failed: \(error)") }
        }
    }

    func closeCache() {
        let closing = cache.withLock { $0.take() }
        closing?.close()
    }

    /// Closes the files after a crash and brings the disk back.
    ///
    /// - Parameter power: the seed of a power cut's losses; `nil` if only the process was killed.
    func restart(_ power: UInt64?) throws {
        close()
        transcript.note("local: a crash, \(power == nil ? "killed" : "the power was cut")")
        try disk.restart(power.map { .power($0) } ?? .none)
        if let power { try PartialFiles(folder: folder).lose(power) }
    }

    func end() throws {
        close()
        disk.remove()
        try FileManager.default.removeItem(
            atPath: URL(filePath: folder.path).deletingLastPathComponent().path)
    }

    // MARK: - Runs

    /// Whether a run holds the mirror's lock.
    var isRunning: Bool { running.withLock { $0 } }

    /// A sync of this mirror.
    ///
    /// - Parameter base: `nil` for the remembered server.
    func prepared(
        base: String?, _ options: SyncOptions, logger: Logger,
        makeSession:
            @escaping @Sendable (_ base: String, _ cache: CanonicalURLCache?) throws -> InterceptableSession
    ) -> Sync {
        var sync = Sync(
            partner: "p", folder: folder, base: base, options: options, freeSpace: FreeSpace { _ in nil },
            logger: logger, now: now, makeSession: makeSession)
        // The folders of simulations are in memory.
        sync.disk = DiskSync(path: { _ in true }, fileSystem: nil)
        return sync
    }

    /// Runs a sync.
    ///
    /// - Parameter inOpenFiles: whether the sync uses the open files, even if other runs open their own.
    func run(
        _ sync: Sync, inOpenFiles: Bool = false, monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
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
}
