import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// A mirror that synchronises, synchronously, from a ``SimulatedPartner``: the shipped sync over the shipped store.
final class SimulatedMirror: Sendable {
    let folder: MirrorFolder
    let partner: SimulatedPartner
    /// The database and the cache that stay open; `nil` where each run opens and closes its own, with all hooks around
    /// it, as the command does.
    typealias Open = (store: CatalogueStore, cache: CanonicalURLCache)
    let open: Open?
    private let random: Mutex<SplitMix>

    init(_ folder: MirrorFolder, _ open: Open?, partner: SimulatedPartner, random: SplitMix) {
        self.folder = folder
        self.open = open
        self.partner = partner
        self.random = Mutex(random)
    }

    private var now: @Sendable () -> Date {
        { [clock = partner.clock] in Date(timeIntervalSince1970: clock.local) }
    }

    /// Uses the database beside a run, or between two.
    func access<T>(_ body: (CatalogueStore) throws -> T) throws -> T {
        if let open { return try body(open.store) }
        let store = try CatalogueStore.open(at: folder.database, now: now)
        defer { try? store.close(folding: false) }
        return try body(store)
    }

    /// What a log would say is in the transcript.
    private static let silent = {
        var logger = Logger(label: "mirror.simulation")
        logger.logLevel = .critical
        return logger
    }()

    /// Random digits for ids and keys that are made here.
    func digits(_ count: Int) -> String {
        random.withLock { random in
            String((0..<count).map { _ in random.element(of: Array("0123456789abcdef")) ?? "0" })
        }
    }

    func sync(_ options: SyncOptions) async throws -> SyncSummary {
        var options = options
        options.synchronous = true
        options.media = false
        let clock = partner.clock.session, partner = partner
        let configuration = SessionConfiguration(
            clock: clock, random: { self.random.withLock { $0.unit() } })
        let sync = Sync(
            partner: "p", folder: folder, base: SimulatedPartner.base, options: options,
            freeSpace: FreeSpace { _ in nil }, logger: Self.silent, now: now
        ) { base, cache in
            try InterceptableSession(
                base: base, transport: partner, cache: cache, configuration: configuration)
        }
        guard let (store, cache) = open else { return try await sync.run() }
        let run = try store.beginRun("sync")
        let summary: SyncSummary
        do {
            summary = try await sync.work(in: store, as: run, cache: cache)
        } catch {
            summary = SyncSummary(partner: "p", failure: error)
        }
        try store.endRun(run, outcome: summary.outcome.rawValue, summary: "{}", errors: [])
        return summary
    }

    func end() throws {
        try FileManager.default.removeItem(
            atPath: URL(filePath: folder.path).deletingLastPathComponent().path)
    }
}
