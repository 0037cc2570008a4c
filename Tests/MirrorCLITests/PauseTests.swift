import ChildProcesses
import Foundation
import MirrorDemo
import MirrorTesting
import Testing

@testable import MirrorCLI
@testable import MirrorStore
@testable import MirrorSync

@Suite("Pausing a watch from the command line") struct PauseTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test(arguments: [["pause"], ["resume"], ["pause", "a", "b"], ["resume", "a", "--partner", "a"]])
    func pauseAndResumeNeedExactlyOnePartner(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
        }
    }

    @Test func theJSONOfAPauseHasThePartnerAndTheTime() {
        #expect(
            PauseText.object("p", since: "2026-11-18T08:06:40.000Z")
                == ["type": "paused", "partner": "p", "since": "2026-11-18T08:06:40.000Z"])
        #expect(PauseText.object("p", since: nil) == ["type": "resumed", "partner": "p"])
    }

    @Test func aPauseIsStoredInTheMirrorOnceAlsoDuringARun() async throws {
        let mirror = try home.mirror("demo")
        #expect(try mirror.pausedAt() == nil)
        _ = try await CatalogueImport(.embedded(DemoCatalogue.files), into: mirror).run()
        #expect(try mirror.pausedAt() == nil)
        // During a run: a pause doesn't need the run lock.
        let run = try RunLock(mirror)
        defer { withExtendedLifetime(run) {} }
        #expect(try mirror.withStore(readOnly: false, folding: false) { try $0.pauseWatch() })
        let since = try #require(try mirror.pausedAt())
        #expect(try mirror.withStore(readOnly: false, folding: false) { try !$0.pauseWatch() })
        #expect(try MirrorStatus(mirror).pausedAt == since)
        #expect(try mirror.withStore(readOnly: false, folding: false) { try $0.resumeWatch() })
        #expect(try mirror.withStore(readOnly: false, folding: false) { try !$0.resumeWatch() })
        #expect(try mirror.pausedAt() == nil)
    }

    private func run(_ arguments: [String]) async throws -> (status: Int32, lines: [Substring]) {
        let output = try ChildPipe()
        let process = try ChildProcess(
            BuiltProgram.path, arguments + ["--home", home.path], environment: BuiltProgram.environment,
            output: .pipe(output), errors: .nothing)
        let text = String(decoding: try output.reading.readToEnd() ?? Data(), as: UTF8.self)
        return (await process.ending.status, text.split(separator: "\n"))
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func pausingOrResumingTwiceSucceedsAndReportsNoChange() async throws {
        _ = try await CatalogueImport(
            .embedded(DemoCatalogue.files), into: home.mirror("demo")
        ).run()
        let first = try await run(["pause", "demo"])
        #expect(first.status == 0 && first.lines.first?.hasPrefix("demo is paused: ") == true)
        let again = try await run(["pause", "demo", "--json"])
        #expect(again.status == 0 && again.lines.count == 2)
        #expect(again.lines.first?.contains(#""type":"paused""#) == true)
        #expect(again.lines.last?.contains(#""changed":0"#) == true)
        let status = try await run(["status", "demo"])
        #expect(status.lines.contains { $0.hasPrefix("  paused ") })
        #expect(try await run(["resume", "demo"]).lines == ["demo is no longer paused."])
        let over = try await run(["resume", "demo"])
        #expect(over.status == 0 && over.lines == ["demo was not paused."])
        #expect(try await run(["pause", "nobody"]).status == 1)
    }
}
