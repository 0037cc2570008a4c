import Catalogue
import ChildProcesses
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

/// Runs the built command, if it was built with the tests.
@Suite struct EndToEndTests {
    private func run(_ arguments: [String], home: String) async throws -> (status: Int32, lines: [Substring])
    {
        let output = try ChildPipe()
        let process = try ChildProcess(
            BuiltProgram.path, arguments + ["--home", home], environment: BuiltProgram.environment,
            output: .pipe(output), errors: .nothing)
        let text = String(decoding: try output.reading.readToEnd() ?? Data(), as: UTF8.self)
        return (await process.ending.status, text.split(separator: "\n"))
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aSecondSyncOfTheDemoTransfersAlmostNothing() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "mirror-e2e-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let arguments = ["sync", "demo", "--no-media", "--json"]
        let first = try await run(arguments, home: home)
        #expect(first.status == 0)
        let items = first.lines.dropLast()
        #expect(items.count > 80 && items.allSatisfy { $0.contains(#""type":"item""#) })
        #expect(first.lines.last?.contains(#""outcome":"complete""#) == true)

        let second = try await run(arguments, home: home)
        #expect(second.status == 0)
        #expect(second.lines.count == 1)
        let summary = try JSONDecoder().decode(Summary.self, from: Data((second.lines.last ?? "").utf8))
        #expect(summary.requests.sent <= 14 && summary.bytes.received < 4_096)
        #expect(summary.objects["artwork"] == Summary.Count(listed: 41, created: 0, updated: 0, deleted: 0))

        let search = try await run(["search", "wave", "--json"], home: home)
        #expect(search.lines.first?.contains("under-the-wave-off-kanagawa") == true)
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aDryRunOfTheDemoReportsAllChangesAndWritesNothing() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "mirror-e2e-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let dry = ["sync", "demo", "--no-media", "--json", "--dry-run", "--exit-code"]
        let plan = try await run(dry, home: home)
        #expect(plan.status == 2)
        #expect(!FileManager.default.fileExists(atPath: home))
        let sync = try await run(["sync", "demo", "--no-media", "--json"], home: home)
        let planned = Set(plan.lines.dropLast()), done = Set(sync.lines.dropLast())
        #expect(planned == done.filter { !$0.contains(#""kind":"document""#) })
        #expect(plan.lines.last?.contains(#""dry_run":true"#) == true)

        let database = try Data(contentsOf: URL(fileURLWithPath: "\(home)/demo/mirror.sqlite"))
        let after = try await run(dry, home: home)
        #expect(after.status == 0 && after.lines.count == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(home)/demo/mirror.sqlite")) == database)
        #expect(try await run(["sync", "demo", "--exit-code"], home: home).status == 64)
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aSyncWithOnlyArtworksStoresNoOtherListedKindAndReportsTheKinds() async throws {
        let home = try TemporaryHome()
        let sync = try await run(
            ["sync", "demo", "--only", "artwork", "--no-media", "--json"], home: home.path)
        #expect(sync.status == 0)
        #expect(sync.lines.last?.contains(#""only":["artwork"]"#) == true)
        let counts = try MirrorStatus(home.mirror("demo")).counts
        #expect(counts[.artwork] == 41)
        for kind in [Kind.artist, .show, .album, .location] { #expect(counts[kind] ?? 0 == 0, "\(kind)") }
    }

    private struct Summary: Decodable {
        struct Requests: Decodable { let sent: Int }
        struct Bytes: Decodable { let received: Int }
        struct Count: Decodable, Equatable { let listed, created, updated, deleted: Int }
        let requests: Requests
        let bytes: Bytes
        let objects: [String: Count]
    }
}
