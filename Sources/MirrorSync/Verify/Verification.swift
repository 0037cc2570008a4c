import Foundation
import MirrorStore
import Synchronization

/// Checks a mirror's integrity, and repairs what is wrong.
///
/// 1. The database: what SQLite says of it, what refers to nothing, lists against what is stored of them, pictures,
///    the search index (``StoreCheck``).
/// 2. The files: each is there in its length, and a sample has its digest (``FileCheck``); nothing else is (``StrayCheck``).
/// 3. With `remote`, the server's lists against what is here (``RemoteComparison``).
/// 4. With `repair`, what can be repaired here is, an ordinary sync fetches the rest, and all is checked again. A repair only
///    replaces: nothing that is damaged or refers to nothing goes before what replaces it is here (``DamagedFile``).
///
/// It holds the run lock, except while the sync of a repair runs, which takes it itself. Idempotent; without `repair`
/// nothing is written but the digest that a server's is compared with, and which certificate authorities vouch for it, so that
/// an archive that can't be written can be checked, too. Memory stays flat: rows and folders are read in chunks, and findings
/// are reported as they are found.
public struct Verification: Sendable {
    /// The sync that would bring the mirror up to date: it says which mirror is meant, and how its server is reached.
    public let sync: Sync
    public let options: VerifyOptions

    public init(of sync: Sync, options: VerifyOptions = VerifyOptions()) {
        self.sync = sync
        self.options = options
    }

    /// Checks, and repairs if that was asked for.
    ///
    /// - Returns: how it ended; also after a failure on the way.
    /// - Throws: ``StoreError`` if it could not begin: `noSuchMirror`, `locked`; `damaged` or `notOurs` if the file is not a
    ///   mirror's database.
    public func run(_ monitor: VerifyMonitor = VerifyMonitor()) async throws -> VerifySummary {
        let began = sync.now()
        var summary = VerifySummary(partner: sync.partner)
        summary.isRepair = options.repair
        var held = try hold()
        do {
            try await verify(&held, monitor, &summary)
        } catch is CancellationError {
            summary.outcome = .cancelled
        } catch {
            summary.outcome = .failed
            summary.failure = "\(error)"
            summary.cause = error
        }
        try held.release()
        summary.seconds = sync.now().timeIntervalSince(began)
        return summary
    }

    private func verify(_ held: inout Held, _ monitor: VerifyMonitor, _ summary: inout VerifySummary)
        async throws
    {
        let tally = FindingTally { monitor.report(.found($0)) }
        var first = Inspection(
            store: held.store, media: media, monitor: monitor, tally: tally, options: options)
        try await first.run()
        // Whoever holds the lock knows that nobody else is at it.
        summary.isInterrupted = try held.store.lastUpdate().map { $0.outcome == nil } ?? false
        summary.unavailable = try held.store.unavailableFiles()
        summary.isCatalogue = try held.store.isCatalogue
        if options.remote {
            summary.comparison = try await RemoteComparison(
                sync: sync, store: held.store, monitor: monitor, tally: tally
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
        switch try Repair(sync: sync, found: tally.counts).run(held.store) {
        case .nothing: break
        case .byHand(let sentence): summary.failure = sentence
        case .sync(let repair):
            try held.release()
            try await fetch(repair, monitor, &summary)
            hasFetchedMedia = repair.options.media
            held = try hold()
            if summary.sync?.outcome == .complete { try held.store.removeUnowned() }
        }
        try held.store.settleDamaged(in: sync.folder.files)
        let left = FindingTally { monitor.report(.remains($0)) }
        monitor.note { $0.begin(pass: 2) }
        var options = options
        (options.readData, options.repair) = (.none, false)
        var second = Inspection(
            store: held.store, media: media, monitor: monitor, tally: left, options: options,
            wantsDocuments: hasFetchedMedia)
        try await second.run()
        if options.remote, summary.failure == nil {
            _ = try await RemoteComparison(sync: sync, store: held.store, monitor: monitor, tally: left).run()
        }
        summary.remaining = left.counts
        summary.unavailable = try held.store.unavailableFiles()
        if summary.remaining.isEmpty, summary.failure == nil { summary.outcome = .repaired }
    }

    /// What could be repaired without a server is, whatever comes of this: the second inspection finds what is left.
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

    /// The mirror's lock and database, held together.
    private struct Held {
        var lock: RunLock?
        let store: CatalogueStore

        /// A second time does nothing.
        mutating func release() throws {
            defer { lock = nil }
            try store.close()
        }
    }

    private func hold() throws -> Held {
        let folder = sync.folder
        // Of what isn't there nothing is made, not even a lock.
        do {
            try folder.checkDatabase(isWhole: true)
        } catch {
            // A run that is just making it has nothing in it yet.
            _ = try RunLock(reading: folder)
            throw error
        }
        let isReadOnly = !options.repair && !folder.mayWrite
        return Held(
            lock: try isReadOnly ? RunLock(reading: folder) : RunLock(folder),
            store: try CatalogueStore.open(at: folder.database, readOnly: isReadOnly, now: sync.now))
    }
}

/// What a person asked of a verification.
public struct VerifyOptions: Sendable {
    /// Which share of the files is read to their end.
    public var readData = ReadShare.none
    /// Compare with the server.
    public var remote = false
    /// Repair what is wrong.
    public var repair = false
    /// Chooses the sample of ``readData``; another one each time unless said otherwise.
    public var seed = UInt64.random(in: .min ... .max)

    public init() {}

    func reads(_ file: StoredFile) -> Bool { readData.contains(file.hash, seed: seed) }
}

/// Watches a verification: what it finds, and how far it is at any moment.
public final class VerifyMonitor: Sendable {
    public enum Event: Sendable {
        case found(Finding)
        /// It is still so after everything was repaired that could be.
        case remains(Finding)
        /// What the sync does that fetches again what was broken.
        case sync(SyncMonitor.Event)
    }

    /// How far it is. Totals are known before anything is counted against them.
    public struct Progress: Sendable, Hashable {
        public var checks = 0, checksTotal = 0
        public var files = 0, filesTotal = 0
        /// Of the files that are read to their end.
        public var bytes: Int64 = 0, bytesTotal: Int64 = 0
        /// Lists of the server's that were compared.
        public var lists = 0, listsTotal = 0
        public var findings = 0
        /// 2 while it is checked again after a repair.
        public var pass = 1

        mutating func begin(pass: Int) {
            let findings = findings
            self = Progress()
            (self.findings, self.pass) = (findings, pass)
        }
    }

    private let state = Mutex(Progress())
    private let handler: (@Sendable (Event) -> Void)?

    /// - Parameter handler: takes every event, on the task in which it happens; it must be quick.
    public init(_ handler: (@Sendable (Event) -> Void)? = nil) { self.handler = handler }

    public var progress: Progress { state.withLock { $0 } }

    func note(_ change: (inout sending Progress) -> Void) { state.withLock { change(&$0) } }

    func report(_ event: Event) {
        if case .found = event { note { $0.findings += 1 } }
        handler?(event)
    }
}
