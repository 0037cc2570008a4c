import Catalogue
import Foundation
import GRDB
import MirrorHTTP
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("Comparing a mirror with its museum", .limitedConcurrency) struct MuseumVerifyTests {
    typealias Museum = ImitatedMuseum.Name

    @Test(arguments: MuseumMirror.museums)
    func `an unchanged museum has no findings, and nothing is written`(name: Museum) async throws {
        let museum = try await MuseumMirror.synced(name)
        let contents = try museum.contents()
        _ = museum.requests()
        let (summary, findings) = try await museum.mirror.verify()
        #expect(summary.outcome == .complete && findings == [], "\(summary.failure ?? "")")
        let comparison = try #require(summary.comparison)
        // The list of the Met has neither versions nor objects.
        #expect(comparison.isExact == (name != .met))
        #expect(comparison.objects >= museum.catalogue.works.count)
        let (api, pictures) = museum.requests()
        #expect(api.count == museum.listPaths.count && pictures == [], "\(api)")
        #expect(comparison.requests == api.count)
        #expect(try museum.contents() == contents)
    }

    @Test(arguments: MuseumMirror.museums)
    func `what changed at the museum is found, and a repair fetches it`(name: Museum) async throws {
        var museum = try await MuseumMirror.synced(name)
        try museum.changeAndAddWork()
        let (_, findings) = try await museum.mirror.verify()
        let (new, old) = (museum.museum.id(ofArtwork: "7"), museum.museum.id(ofArtwork: "1"))
        let expected = ["found new artwork \(new)"] + (name == .met ? [] : ["found changed artwork \(old)"])
        #expect(Set(findings).isSuperset(of: expected), "\(findings)")
        let (repair, _) = try await museum.mirror.verify { $0.repair = true }
        #expect(repair.outcome == .repaired, "\(repair.failure ?? "") \(repair.remaining)")
        #expect(try museum.contents() == museum.expected())
    }

    @Test(arguments: MuseumMirror.museums)
    func `lost artists and rooms are gathered again by a repair`(name: Museum) async throws {
        let museum = try MuseumMirror(name)
        try await museum.sync()
        let expected = try museum.contents()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: museum.mirror.mirror.database, configuration: configuration)
        try await queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    DELETE FROM artist WHERE id = (SELECT min(artist_id) FROM artwork_artist);
                    DELETE FROM location WHERE id = (SELECT min(location_id) FROM location_artwork);
                    """)
        }
        try queue.close()
        museum.mirror.pass(hours: 1)
        #expect(try museum.contents() != expected)
        let (summary, _) = try await museum.mirror.verify { ($0.repair, $0.remote) = (true, false) }
        #expect(summary.outcome == .repaired, "\(summary.failure ?? "") \(summary.remaining)")
        #expect(try museum.contents() == expected)
    }

    @Test(arguments: MuseumMirror.museums)
    func `a work that the museum removed is found until a sync counts its absence`(name: Museum) async throws
    {
        var museum = try MuseumMirror(name)
        try await museum.sync()
        museum.mirror.pass(hours: 1)
        museum.remove("6")
        let finding = "found gone artwork \(museum.museum.id(ofArtwork: "6"))"
        #expect(try await museum.mirror.verify().findings == [finding])
        try await museum.sync()
        #expect(try await museum.mirror.verify().findings == [])
    }
}

extension DescribedMirror {
    /// Compares the mirror with its museum, and returns the findings as text: `found changed artwork 1`.
    func verify(
        _ change: (inout VerifyOptions) -> Void = { _ in }
    ) async throws -> (summary: VerifySummary, findings: [String]) {
        var options = VerifyOptions()
        options.remote = true
        change(&options)
        let found = Mutex<[String]>([])
        let monitor = VerifyMonitor { event in
            guard case .found(let finding) = event else { return }
            let parts = ["found", finding.what.rawValue, finding.kind, finding.id]
            found.withLock { $0.append(parts.compactMap(\.self).joined(separator: " ")) }
        }
        let summary = try await Verification(of: makeSync { _ in }, options: options).run(monitor)
        return (summary, found.withLock { $0 })
    }

    /// Predicts what a sync would do.
    func plan(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncSummary {
        try await makeSync { options in
            options.source.name = source
            change(&options)
        }.plan()
    }

    /// Every file of the mirror with its bytes.
    func files() throws -> [String: Data] {
        let path = try mirror.path
        var files: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            files[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
        }
        // SQLite's shared memory changes whenever the database is read.
        return files.filter { !$0.key.hasSuffix("-shm") }
    }

    /// A sync with one worker, of the remembered source if the options name none.
    private func makeSync(_ change: (inout SyncOptions) -> Void) throws -> Sync {
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let clock = clock, network = network
        return Sync(partner: "museum", folder: try mirror, options: options, now: { clock.now }) {
            base, cache in
            try InterceptableSession(
                base: base, transport: network, cache: cache, interceptors: .standard(),
                configuration: SessionConfiguration(
                    clock: clock.sessionClock, random: { 0.5 },
                    addressGuard: AddressGuard { _ in ["93.184.216.34"] }))
        }
    }
}
