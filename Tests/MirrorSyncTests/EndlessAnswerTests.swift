import ChildProcesses
import Foundation
import MirrorTesting
import Testing

/// What the built binary takes of a server whose answers have no end.
@Suite("Answers without an end", .serialized) struct EndlessAnswerTests {
    @Test(
        .enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."),
        arguments: EndlessServer.Evil.allCases)
    func endInLittleMemoryAndWithASentence(evil: EndlessServer.Evil) async throws {
        let place = try TemporaryFolder(), server = try EndlessServer(evil)
        defer { server.stop() }
        let said = place.file("said")
        _ = FileManager.default.createFile(atPath: said, contents: nil)
        let process = try ChildProcess(
            BuiltProgram.path,
            [
                "sync", "p", "--from", "http://127.0.0.1:\(server.port)/api/v1", "--home", place.file("home"),
                "--fail-fast", "--quiet",
            ], environment: BuiltProgram.environment, output: .nothing,
            errors: .handle(#require(FileHandle(forWritingAtPath: said))))
        // Looked at while it runs: what the system tells at its end counts what this process had when it began.
        var peak = 0
        for _ in 0..<1_200 where process.endingSoFar == nil {
            peak = max(peak, Self.peak(process.id))
            try await Task.sleep(for: .milliseconds(50))
        }
        process.send(SIGKILL)
        let ending = await process.ending
        let text = try String(contentsOfFile: said, encoding: .utf8)
        #expect(!ending.wasSignalled && ending.status > 0, "\(ending.status) \(text)")
        #expect(text.contains("mirror: ") && text.split(separator: "\n").count < 5, "\(text)")
        #expect(server.counts.requests > 0 && server.counts.sent < 500_000_000, "\(server.counts)")
        // In a debug build; the server would send 4 GiB, or twice 650.
        #expect(peak < 250_000_000, "\(peak)")
    }

    /// The most memory that it had so far, in bytes; 0 where the system doesn't say, or it is over.
    private static func peak(_ id: pid_t) -> Int {
        let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 } ?? 0
    }
}
