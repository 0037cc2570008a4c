import Foundation
import MirrorSimulation
import MirrorTesting
import Testing

/// Kills the built program at random moments. `swift run -c release mirror-bench kills` does so 200 times.
@Suite("A killed program") struct KillTests {
    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func theRunAfterAKilledOneResumesItsWorkAndFetchesNothingTwice() async throws {
        let place = try TemporaryFolder()
        let findings = try await OffloadedThread.run { try Self.findings(under: place.file("stage")) }
        #expect(findings.isEmpty, "\(findings)")
    }

    private static func findings(under folder: String) throws -> [String] {
        // Few and small pictures, because a debug build draws them slowly.
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 6, formats: "square",
            changes: 20_000)
        var findings: [String] = []
        let kinds: [KillKind] = [.firstSync, .firstSync, .update, .repair, .migration, .restore]
        let sync = try KillTrial.measure(stage, .firstSync)
        let rest = KillTrial.Measure(seconds: sync.seconds / 2, answers: 8)
        for (number, kind) in kinds.enumerated() {
            var trial = KillTrial(stage, kind, seed: UInt64(number))
            try trial.run(kind == .firstSync ? sync : rest)
            findings += trial.findings.map { "\(kind.rawValue), \(trial.moment): \($0)" }
        }
        try stage.end()
        return findings
    }
}
