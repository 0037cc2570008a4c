import Foundation
import MirrorStore

/// Looks whether a mirror is whole, and mends what is not.
///
/// 1. The database: what SQLite says of it, what refers to nothing, lists against what is stored of them, pictures,
///    the search index (``StoreCheck``).
/// 2. The files: each is there in its length, and a sample has its digest (``FileCheck``); nothing else is (``StrayCheck``).
/// 3. With `remote`, the server's lists against what is here (``RemoteComparison``).
/// 4. With `repair`, what can be repaired here is, an ordinary sync fetches the rest, and all is checked again. A repair only
///    replaces: nothing that is damaged or refers to nothing goes before what replaces it is here (``DamagedFile``).
///
/// It holds the run lock, but while the sync of a repair runs, which takes it itself. Idempotent; without `repair`
/// nothing is written but the digest that a server's is held against, and which certificate authorities vouch for it, so that an archive that can't be written can be looked
/// at, too. Memory stays flat: rows and folders
/// are read in chunks, and findings are told as they are found.
public struct Verification: Sendable {
    /// The sync that would bring the mirror up to date: it says which mirror is meant, and how its server is reached.
    public let sync: Sync
    public let options: VerifyOptions

    public init(of sync: Sync, options: VerifyOptions = VerifyOptions()) {
        self.sync = sync
        self.options = options
    }

    /// Looks, and mends if that was asked for.
    ///
    /// - Returns: how it ended; also after a failure on the way.
    /// - Throws: ``StoreError`` if it could not begin: `noSuchMirror`, `locked`; `damaged` or `notOurs` if the file is not a
    ///   mirror's database.
    public func run(_ monitor: VerifyMonitor = VerifyMonitor()) async throws -> VerifySummary {
        let began = sync.now()
        var summary = VerifySummary(partner: sync.partner)
        summary.isRepair = options.repair
        let held = try Held(sync, isReading: !options.repair)
        do {
            try await verify(held, monitor, &summary)
        } catch is CancellationError {
            summary.outcome = .cancelled
        } catch {
            summary.outcome = .failed
            summary.failure = "\(error)"
            summary.cause = error
        }
        try held.letGo()
        summary.seconds = sync.now().timeIntervalSince(began)
        return summary
    }

    private func verify(_ held: Held, _ monitor: VerifyMonitor, _ summary: inout VerifySummary) async throws {
        let tally = FindingTally { monitor.tell(.found($0)) }
        let first = Inspection(
            store: try held.store, media: media, monitor: monitor, tally: tally, readData: options.readData,
            seed: options.seed, isMending: options.repair)
        try await first.run(isRemote: options.remote)
        // Whoever holds the lock knows that nobody else is at it.
        summary.isInterrupted = try held.store.lastUpdate().map { $0.outcome == nil } ?? false
        summary.unavailable = try held.store.unavailableFiles()
        summary.isCatalogue = try held.store.fact(.catalogue) == "1"
        if options.remote { summary.comparison = try await compare(try held.store, monitor, tally) }
        summary.found = tally.counts
        let totals = monitor.progress
        (summary.checks, summary.files) = (totals.checks, totals.files)
        (summary.bytes, summary.filesRead, summary.bytesRead) = (
            first.sizes.bytes, first.sizes.read, totals.bytes
        )
        guard summary.findings > 0 else { return }
        summary.outcome = .findings
        guard options.repair else { return }

        var hasFetchedMedia = false
        switch try Mending(sync: sync, found: tally.counts).mend(try held.store) {
        case .nothing: break
        case .byHand(let sentence): summary.failure = sentence
        case .sync(let repair):
            try held.letGo()
            try await fetch(repair, monitor, &summary)
            hasFetchedMedia = repair.options.media
            try held.take()
            if summary.sync?.outcome == .complete { try held.store.removeUnowned() }
        }
        try held.store.settleDamaged(in: sync.folder.files)
        let left = FindingTally { monitor.tell(.remains($0)) }
        monitor.note { $0.begin(pass: 2) }
        try await Inspection(
            store: try held.store, media: media, monitor: monitor, tally: left, readData: .none,
            seed: options.seed, isMending: false, wantsDocuments: hasFetchedMedia
        ).run(isRemote: options.remote)
        if options.remote, summary.failure == nil { _ = try await compare(try held.store, monitor, left) }
        summary.remaining = left.counts
        summary.unavailable = try held.store.unavailableFiles()
        if summary.remaining.isEmpty, summary.failure == nil { summary.outcome = .repaired }
    }

    /// What could be mended without a server is, whatever comes of this: the second look says what is left.
    private func fetch(_ repair: Sync, _ monitor: VerifyMonitor, _ summary: inout VerifySummary) async throws
    {
        do {
            let sync = try await repair.run(SyncMonitor { monitor.tell(.sync($0)) })
            if sync.outcome == .cancelled { throw CancellationError() }
            (summary.sync, summary.failure, summary.cause) = (sync, sync.failure, sync.cause)
        } catch let error as CancellationError {
            throw error
        } catch {
            (summary.failure, summary.cause) = ("\(error)", error)
        }
    }

    private var media: MediaFolder { MediaFolder(path: sync.folder.path, now: sync.now()) }

    private func compare(_ store: CatalogueStore, _ monitor: VerifyMonitor, _ tally: FindingTally)
        async throws
        -> VerifySummary.Comparison
    {
        try await RemoteComparison(sync: sync, store: store, monitor: monitor, tally: tally).run()
    }

    /// The mirror's lock and database, held together.
    private final class Held {
        private let sync: Sync
        /// Whether nothing is going to be written.
        private let isReading: Bool
        private var lock: RunLock?
        private var open: CatalogueStore?

        init(_ sync: Sync, isReading: Bool) throws {
            self.sync = sync
            self.isReading = isReading
            try take()
        }

        var store: CatalogueStore {
            get throws {
                guard let open else {
                    throw StoreError(.unexpected, "The mirror's database was used after it was closed.")
                }
                return open
            }
        }

        func take() throws {
            // Of what isn't there nothing is made, not even a lock.
            do {
                try sync.folder.checkDatabase(isWhole: true)
            } catch {
                // A run that is just making it has nothing in it yet.
                _ = try RunLock(reading: sync.folder)
                throw error
            }
            let isReadOnly = isReading && !sync.folder.mayWrite
            lock = isReadOnly ? try RunLock(reading: sync.folder) : try RunLock(sync.folder)
            open = try CatalogueStore.open(
                at: sync.folder.database, readOnly: isReadOnly, now: sync.now)
        }

        func letGo() throws {
            defer { lock = nil }
            try open?.close()
            open = nil
        }
    }
}
