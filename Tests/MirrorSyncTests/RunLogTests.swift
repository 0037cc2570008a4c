import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Every run is logged, however it ended", .fewAtATime)
struct RunLogTests {
    private func last(_ mirror: TestMirror) throws -> (outcome: String?, problems: [LoggedProblem]) {
        try mirror.read { store in
            let run = try #require(try store.lastUpdate())
            return (run.outcome, try store.problems(ofRun: run.run))
        }
    }

    @Test func aFailedRunIsLoggedWithItsReason() async throws {
        let partner = FakePartner { $0.artwork("a") }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.overrides["/partner/p/all"] = .text("{}", status: 403) }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .failed)
        let (outcome, problems) = try last(mirror)
        #expect(outcome == "failed")
        #expect(problems.first?.what == "run" && problems.first?.message == summary.failure)
    }

    @Test func aRunStoppedByTheDeleteGuardIsLoggedWithItsIntendedDeletions() async throws {
        let partner = FakePartner { state in for id in 0..<20 { state.artwork("a\(id)") } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in for id in 0..<15 { state.remove(.artwork, "a\(id)") } }
        #expect(try await mirror.sync().outcome == .guarded)
        let (outcome, problems) = try last(mirror)
        #expect(outcome == "guarded")
        #expect(problems.map(\.what) == ["guard"] && problems.first?.message.contains("15 of 20") == true)
    }

    @Test func aFailedObjectIsLoggedAsAProblemOfItsRun() async throws {
        let partner = FakePartner { state in
            state.artwork("a")
            state.overrides["/artwork/a"] = .text("{}", status: 500)
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try last(mirror).problems.map { "\($0.kind ?? "") \($0.id ?? "")" } == ["artwork a"])
    }

    @Test func aFailedImportIsLoggedAsAFailedRun() async throws {
        let home = try LiveMirror()
        try await home.importing(.embedded(["partner.json": #"{"id":"p"}"#]), as: "p")
        let summary = try await home.importing(
            .embedded(["partner.json": #"{"id":"p"}"#, "artworks.jsonl": "{"]), as: "p")
        #expect(summary.outcome == .failed)
        let store = try home.mirror("p").store()
        defer { try? store.close() }
        let run = try #require(try store.lastUpdate())
        #expect(run.command == "import" && run.outcome == "failed")
        #expect(try store.problems(ofRun: run.run).first?.message == summary.failure)
    }

    @Test func aFailedHookIsLoggedAsAProblemOfItsRun() async throws {
        let mirror = try TestMirror(FakePartner { $0.artwork("a") })
        try await mirror.sync()
        let context = HookContext(
            command: "sync", partner: "p", folder: try mirror.mirror, onChange: OnChangeCommand("exit 3"))
        _ = try await SyncHooks.around(context) {
            var summary = SyncSummary(partner: "p", outcome: .complete)
            summary.objects["artwork"] = SyncSummary.Count(created: 1)
            return summary
        }
        let (outcome, problems) = try last(mirror)
        #expect(outcome == "complete")
        #expect(problems.map(\.id) == ["on-change"])
    }
}
