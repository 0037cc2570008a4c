import ChildProcesses
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

/// Runs `serve` and `watch` as processes that communicate over HTTP.
///
/// `MIRROR_LIVE_EDITS` sets the number of edits in the first test. Default: 120.
@Suite(.serialized, .enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
struct LiveWatchTests {
    private static let edits =
        ProcessInfo.processInfo.environment["MIRROR_LIVE_EDITS"].flatMap { Int($0) } ?? 120

    private let processes: LiveProcesses
    private let origin: String

    init() throws {
        processes = try LiveProcesses()
        origin = processes.folder.file("origin")
    }

    private func importToOrigin(_ catalogue: RandomCatalogue) async throws {
        let files = processes.folder.file("catalogue")
        try catalogue.write(to: files)
        #expect(try await processes.run(["import", files, "--home", origin, "--max-delete", "1000"]) == 0)
    }

    private func watch(_ port: Int, _ home: String) throws -> ChildProcess {
        try processes.start([
            "watch", "random", "--from", "http://127.0.0.1:\(port)/random", "--interval", "1s", "--no-media",
            "--home", home,
        ])
    }

    private func store(_ home: String) throws -> CatalogueStore {
        try MirrorHome(path: home).mirror("random").store()
    }

    /// Whether the mirror's cursor is the last event of its origin.
    private func hasCaughtUp(_ home: String, with upstream: String) -> Bool {
        guard let mirror = try? store(home), let source = try? store(upstream) else { return false }
        defer {
            try? mirror.close()
            try? source.close()
        }
        guard let cursor = try? mirror.loop(LoopRecord.coreID)?.cursor else { return false }
        return (try? source.latestEvent()?.text) == cursor
    }

    /// The sorted lines of each file of an export.
    private func exported(_ home: String) async throws -> [String: [String]] {
        let place = processes.folder.file("export-\(UUID().uuidString)")
        #expect(
            try await processes.run([
                "export", "random", "--format", "jsonl", "--to", place, "--home", home,
            ]) == 0)
        var lines: [String: [String]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: place) where name.hasSuffix("l") {
            let text = try String(contentsOfFile: "\(place)/\(name)", encoding: .utf8)
            lines[name] = text.split(separator: "\n").map(String.init).sorted()
        }
        return lines
    }

    @Test func aWatchThatIsKilledRepeatedlyStillFollowsRandomEdits() async throws {
        let catalogue = RandomCatalogue(seed: 7, size: 60), home = processes.folder.file("mirror")
        try await importToOrigin(catalogue)
        let server = try await processes.serve(origin)
        var watch = try watch(server.port, home)
        try await processes.until("the first sync ended") { hasCaughtUp(home, with: origin) }
        let round = 20
        for _ in 0..<max(1, Self.edits / round) {
            for _ in 0..<round { catalogue.edit() }
            try await importToOrigin(catalogue)
            guard catalogue.below(3) == 0 else { continue }
            processes.stop(watch, by: SIGKILL)
            watch = try self.watch(server.port, home)
        }
        try await processes.until("the mirror caught up") { hasCaughtUp(home, with: origin) }
        #expect(try await exported(home) == exported(origin))
        #expect(processes.stop(watch) == 0)
    }

    @Test func aWatchFetchesEverythingAgainIfTheOriginsLogNoLongerReachesItsCursor() async throws {
        let catalogue = RandomCatalogue(seed: 8, size: 30), home = processes.folder.file("mirror")
        try await importToOrigin(catalogue)
        let server = try await processes.serve(origin)
        let watch = try watch(server.port, home)
        try await processes.until("the first sync ended") { hasCaughtUp(home, with: origin) }
        processes.stop(watch)
        for _ in 0..<15 { catalogue.edit() }
        try await importToOrigin(catalogue)
        let store = try MirrorHome(path: origin).mirror("random").store()
        try store.trimHistory(olderThan: "2999-01-01T00:00:00.000Z")
        try store.close()
        for _ in 0..<5 { catalogue.edit() }
        try await importToOrigin(catalogue)
        let again = try self.watch(server.port, home)
        try await processes.until("the mirror caught up") { hasCaughtUp(home, with: origin) }
        #expect(try await exported(home) == exported(origin))
        processes.stop(again)
    }

    @Test func watchesInAChainOfMirrorsEndWithEqualMirrors() async throws {
        let catalogue = RandomCatalogue(seed: 9, size: 30)
        try await importToOrigin(catalogue)
        var homes = [origin]
        for name in ["first", "second", "third"] {
            let server = try await processes.serve(homes[homes.count - 1])
            let home = processes.folder.file(name)
            _ = try watch(server.port, home)
            let upstream = homes[homes.count - 1]
            try await processes.until("the first sync of \(name) ended") { hasCaughtUp(home, with: upstream) }
            homes.append(home)
        }
        for _ in 0..<2 {
            for _ in 0..<15 { catalogue.edit() }
            try await importToOrigin(catalogue)
        }
        for (upstream, home) in zip(homes, homes.dropFirst()) {
            try await processes.until("\(home) caught up") { hasCaughtUp(home, with: upstream) }
        }
        let expected = try await exported(origin)
        for home in homes.dropFirst() { #expect(try await exported(home) == expected) }
    }
}
