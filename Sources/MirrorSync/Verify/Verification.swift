import Foundation
import MirrorStore
import Synchronization

/// Checks a mirror's integrity, and repairs what is wrong.
///
/// 1. The database: SQLite's own integrity check, broken references, lists and their stored members, pictures, and the search
///    index (``StoreCheck``).
/// 2. The files: each exists with its length, and a sample is read to compare the digests (``FileCheck``); there are no other
///    files (``StrayCheck``).
/// 3. With `remote`, the mirror is compared with the server (``RemoteComparison``).
/// 4. With `repair`, everything that needs no server is repaired, an ordinary sync fetches the rest, and everything is checked
///    again. A repair only replaces: a damaged or unreferenced file is not removed before its replacement is stored
///    (``DamagedFile``).
///
/// It holds the run lock, except during the sync of a repair, which takes the lock itself. It is idempotent. Without `repair`, it
/// writes only the mirror's digest and the file of certificate authorities, so a read-only archive can be checked too.
/// Memory stays flat: rows and folders are read in chunks, and findings are reported immediately.
public struct Verification: Sendable {
    /// The sync of the mirror to check: its partner, folder and server.
    public let sync: Sync
    /// What to check, and whether to repair.
    public let options: VerifyOptions

    /// Creates a verification of the mirror that `sync` keeps up to date.
    public init(of sync: Sync, options: VerifyOptions = VerifyOptions()) {
        self.sync = sync
        self.options = options
    }

    /// Checks the mirror, and repairs it if the options say so.
    ///
    /// - Returns: the result; also after a failure, with the outcome `failed`.
    /// - Throws: ``StoreError`` if it could not begin: `noSuchMirror`, `locked`; `damaged` or `notOurs` if the file is not a
    ///   mirror's database.
    public func run(_ monitor: VerifyMonitor = VerifyMonitor()) async throws -> VerifySummary {
        let began = sync.now()
        var summary = VerifySummary(partner: sync.partner)
        summary.isRepair = options.repair
        var locked = try openLocked()
        do {
            try await verify(&locked, monitor, &summary)
        } catch is CancellationError {
            summary.outcome = .cancelled
        } catch {
            summary.outcome = .failed
            summary.failure = "\(error)"
            summary.cause = error
        }
        try locked.release()
        summary.seconds = sync.now().timeIntervalSince(began)
        return summary
    }

    private func verify(_ locked: inout LockedStore, _ monitor: VerifyMonitor, _ summary: inout VerifySummary)
        async throws
    {
        let tally = FindingTally { monitor.report(.found($0)) }
        var first = Inspection(
            store: locked.store, media: media, monitor: monitor, tally: tally, options: options)
        try await first.run()
        // While this run holds the lock, no other run is active: a run without an outcome was interrupted.
        summary.isInterrupted = try locked.store.lastUpdate().map { $0.outcome == nil } ?? false
        summary.unavailable = try locked.store.unavailableFiles()
        summary.absent = try locked.store.absentCounts()
        summary.isCatalogue = try locked.store.isCatalogue
        if options.remote {
            summary.comparison = try await RemoteComparison(
                sync: sync, store: locked.store, monitor: monitor, tally: tally
            ).run()
        }
        summary.found = tally.counts
        let totals = monitor.progress
        (summary.checks, summary.files) = (totals.checks, totals.files)
        (summary.bytes, summary.bytesRead) = (first.sizes.bytes, totals.bytes)
        summary.filesRead = first.sizes.read
        guard summary.findings > 0 else { return }
        summary.outcome = .findings
        guard options.repair else { return }

        var hasFetchedMedia = false
        switch try Repair(sync: sync, found: tally.counts).run(locked.store) {
        case .nothing: break
        case .byHand(let message): summary.failure = message
        case .sync(let repair):
            try locked.release()
            try await fetch(repair, monitor, &summary)
            hasFetchedMedia = repair.options.media
            locked = try openLocked()
            if summary.sync?.outcome == .complete { try locked.store.removeOrphans() }
        }
        try locked.store.settleDamaged(in: sync.folder.files)
        let remaining = FindingTally { monitor.report(.remains($0)) }
        monitor.note { $0.begin(pass: 2) }
        var options = options
        (options.readData, options.repair) = (.none, false)
        var second = Inspection(
            store: locked.store, media: media, monitor: monitor, tally: remaining, options: options,
            expectsDocuments: hasFetchedMedia)
        try await second.run()
        if options.remote, summary.failure == nil {
            _ = try await RemoteComparison(
                sync: sync, store: locked.store, monitor: monitor, tally: remaining
            ).run()
        }
        summary.remaining = remaining.counts
        summary.unavailable = try locked.store.unavailableFiles()
        summary.absent = try locked.store.absentCounts()
        if summary.remaining.isEmpty, summary.failure == nil { summary.outcome = .repaired }
    }

    /// Runs the sync of a repair. A failure is recorded, not thrown, so that the second inspection still runs.
    private func fetch(_ repair: Sync, _ monitor: VerifyMonitor, _ summary: inout VerifySummary) async throws
    {
        do {
            let sync = try await repair.run(SyncMonitor { monitor.report(.sync($0)) })
            if sync.outcome == .cancelled { throw CancellationError() }
            (summary.sync, summary.failure, summary.cause) = (sync, sync.failure, sync.cause)
        } catch let error as CancellationError {
            throw error
        } catch {
            (summary.failure, summary.cause) = ("\(error)", error)
        }
    }

    private var media: MediaFolder { MediaFolder(path: sync.folder.path, now: sync.now()) }

    /// The mirror's run lock and its open database.
    private struct LockedStore {
        var lock: RunLock?
        let store: CatalogueStore

        /// Closes the database and releases the lock. Idempotent.
        mutating func release() throws {
            defer { lock = nil }
            try store.close()
        }
    }

    private func openLocked() throws -> LockedStore {
        let folder = sync.folder
        // If there is no mirror, nothing is created, not even a lock.
        do {
            try folder.checkDatabase(mustHaveTables: true)
        } catch {
            // If another run is just creating the mirror, `locked` is thrown.
            _ = try RunLock(reading: folder)
            throw error
        }
        let isReadOnly = !options.repair && !folder.mayWrite
        return LockedStore(
            lock: try isReadOnly ? RunLock(reading: folder) : RunLock(folder),
            store: try CatalogueStore.open(at: folder.database, readOnly: isReadOnly, now: sync.now))
    }
}

/// The options of a verification.
public struct VerifyOptions: Sendable {
    /// The share of files that are read to compare their digests; by default none.
    public var readData = ReadShare.none
    /// Whether to compare the mirror with the server.
    public var remote = false
    /// Whether to repair the findings.
    public var repair = false
    /// The seed of the sample of ``readData``; by default a random one.
    public var seed = UInt64.random(in: .min ... .max)

    /// Creates the default options: no files are read, nothing is compared with the server or repaired.
    public init() {}

    func reads(_ file: StoredFile) -> Bool { readData.contains(file.hash, seed: seed) }
}

/// Reports the findings and the progress of a verification.
public final class VerifyMonitor: Sendable {
    /// An event of a verification.
    public enum Event: Sendable {
        /// A finding of the first inspection.
        case found(Finding)
        /// A finding that remains after the repair.
        case remains(Finding)
        /// An event of the sync that completes a repair.
        case sync(SyncMonitor.Event)
    }

    /// The progress of a verification. Totals are set before anything is counted.
    public struct Progress: Sendable, Hashable {
        /// Checks of the database.
        public var checks = 0, checksTotal = 0
        /// Stored files.
        public var files = 0, filesTotal = 0
        /// Bytes of the files that are read to their end.
        public var bytes: Int64 = 0, bytesTotal: Int64 = 0
        /// The server's lists that are compared.
        public var lists = 0, listsTotal = 0
        /// Findings of the first inspection.
        public var findings = 0
        /// The number of the inspection: 1, or 2 after a repair.
        public var pass = 1

        mutating func begin(pass: Int) {
            let findings = findings
            self = Progress()
            (self.findings, self.pass) = (findings, pass)
        }
    }

    private let state = Mutex(Progress())
    private let handler: (@Sendable (Event) -> Void)?

    /// Creates a monitor.
    ///
    /// - Parameter handler: receives every event, on the task in which it happens; it must return quickly.
    public init(_ handler: (@Sendable (Event) -> Void)? = nil) { self.handler = handler }

    /// The current progress.
    public var progress: Progress { state.withLock { $0 } }

    func note(_ change: (inout sending Progress) -> Void) { state.withLock { change(&$0) } }

    func report(_ event: Event) {
        if case .found = event { note { $0.findings += 1 } }
        handler?(event)
    }
}
