import ChildProcesses
import Foundation
import MirrorTesting
import Testing

/// Syncs of the built program from a server whose answers don't end.
@Suite("Endless answers", .serialized) struct EndlessAnswerTests {
    @Test(
        .enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."),
        arguments: EndlessServer.Endlessness.allCases)
    func anEndlessAnswerEndsWithAMessageAndInLittleMemory(endlessness: EndlessServer.Endlessness) async throws
    {
        let folder = try TemporaryFolder(), server = try EndlessServer(endlessness)
        defer { server.stop() }
        let errors = folder.file("errors")
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        let process = try ChildProcess(
            BuiltProgram.path,
            [
                "sync", "p", "--from", "http://127.0.0.1:\(server.port)/api/v1", "--home",
                folder.file("home"),
                "--fail-fast", "--quiet",
            ], environment: BuiltProgram.environment, output: .nothing,
            errors: .handle(#require(FileHandle(forWritingAtPath: errors))))
        // Measured while it runs: the system's figure at its end includes this process's memory at the fork.
        var peak = 0
        for _ in 0..<1_200 where process.endingIfEnded == nil {
            peak = max(peak, Self.peak(process.id))
            try await Task.sleep(for: .milliseconds(50))
        }
        process.send(SIGKILL)
        let ending = await process.ending
        let text = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(!ending.wasSignalled && ending.status > 0, "\(ending.status) \(text)")
        #expect(text.contains("mirror: ") && text.split(separator: "\n").count < 5, "\(text)")
        #expect(server.counts.requests > 0 && server.counts.sent < 500_000_000, "\(server.counts)")
        // In a debug build; the server would send 4 GiB, or twice 650.
        #expect(peak < 250_000_000, "\(peak)")
    }

    /// The peak memory of a process in bytes; 0 if the system doesn't report it, or if the process has ended.
    private static func peak(_ id: pid_t) -> Int {
        let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 } ?? 0
    }
}
