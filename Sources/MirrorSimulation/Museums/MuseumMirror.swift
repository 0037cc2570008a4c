import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync

/// A mirror of a described catalogue that syncs from a ``MuseumServer``, with the real sync and the real store, in synchronous
/// mode.
final class MuseumMirror: Sendable {
    let files: SimulatedFiles
    let server: MuseumServer
    /// The path of the description.
    let description: String
    private let traits: MuseumTraits
    private let injectedBug: InjectedBug?

    /// - Throws: an error of the file system, or of the description.
    init(
        _ slot: HistoryWorkspace.Slot, server: MuseumServer, description: String, transcript: Transcript,
        liveInvariants: LiveInvariants, injectedBug: InjectedBug?
    ) throws {
        self.injectedBug = injectedBug
        (self.server, self.description, traits) = (server, description, server.traits)
        files = SimulatedFiles(
            slot, disk: server.disk, base: traits.museum.base, transcript: transcript,
            liveInvariants: liveInvariants)
        try traits.description().write(toFile: description, atomically: true, encoding: .utf8)
    }

    func end() throws {
        try files.end()
        try FileManager.default.removeItem(atPath: description)
    }

    // MARK: - Runs

    private var makeSession: @Sendable (String, CanonicalURLCache?) throws -> InterceptableSession {
        { [clock = server.clock, server, injectedBug, folder = files.folder] base, cache in
            let configuration = SessionConfiguration(
                clock: clock.session, random: { 0.5 }, concurrency: .fixed(1),
                // The names of real hosts are not resolved.
                addressGuard: AddressGuard { _ in ["93.184.215.14"] })
            return try InterceptableSession(
                base: base, transport: injectedBug?.transport?(server, folder) ?? server, cache: cache,
                interceptors: .standard(credentials: .none),
                configuration: configuration)
        }
    }

    private func prepared(_ change: (inout SyncOptions) -> Void) throws -> Sync {
        var logger = Logger(label: "mirror.simulation")
        logger.logLevel = .critical
        var options = SyncOptions()
        options.media = traits.hasMedia
        options.source.withdrawn = traits.withdrawn
        (options.synchronous, options.jobs) = (true, 1)
        // The first sync that gets an answer remembers the source. A killed one may not have come so far.
        if try files.access({ try $0.source }) == nil { options.source.name = description }
        change(&options)
        return files.prepared(base: nil, options, logger: logger, makeSession: makeSession)
    }

    /// Runs a dry run.
    func plan(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncSummary {
        try await prepared(change).plan()
    }

    /// Runs a sync.
    func sync(
        inOpenFiles: Bool = false, _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        try await files.run(prepared(change), inOpenFiles: inOpenFiles)
    }
}
