import MirrorSync
import Testing

@testable import MirrorSimulation

/// Random histories in which syncs and watches are paused, and their checks.
@Suite("Pauses in random histories", .fewAtATime)
struct PausedHistoryTests {
    // MARK: - Plans

    private func pauses(in plan: HistoryPlan) -> [RunPause] {
        plan.actions.compactMap { if case .sync(let sync) = $0 { sync.pause } else { nil } }
    }

    @Test func pausesAreDrawnForSyncsAndWatchesButNotInCalmHistories() {
        let plans = (1...200).map { HistoryPlan(seed: $0) }
        let ends = Set(plans.flatMap { pauses(in: $0) }.map(\.end.name))
        #expect(ends == ["resumed", "cancelled", "killed"])
        #expect(plans.contains { $0.actions.contains(.pauseWatch) && $0.actions.contains(.resumeWatch) })
        let rounds = plans.flatMap(\.actions).flatMap { action in
            if case .watch(let watch) = action { watch.rounds } else { [WatchAction.Round]() }
        }
        #expect(rounds.contains { $0.before.contains(.pauseWatch) })
        #expect(rounds.contains { $0.disturbances.concurrentActions.contains { $0.action == .pauseWatch } })
        #expect(rounds.contains { $0.before.contains(.resumeWatch) })
        let calm = (1...200).map { HistoryPlan(seed: $0, profile: .calm) }
        #expect(calm.allSatisfy { pauses(in: $0).isEmpty && !$0.actions.contains(.pauseWatch) })
    }

    @Test func aSimplifiedPlanLeavesOutAPauseOrAPartOfIt() {
        var random = SplitMix(seed: 1), pause = RunPause(&random)
        (pause.concurrentActions, pause.end) = ([.localEdit(1), .wait(30)], .cancelled)
        #expect(
            pause.simplified().map(\.concurrentActions) == [
                [.wait(30)], [.localEdit(1)], [.localEdit(1), .wait(30)],
            ])
        #expect(pause.simplified().map(\.end.name) == ["cancelled", "cancelled", "resumed"])
        var sync = SyncAction(), plan = HistoryPlan(seed: 1)
        sync.pause = pause
        plan.actions = [.sync(sync)]
        let shorter = plan.simplified()
        #expect(shorter.contains { !$0.actions.isEmpty && pauses(in: $0).isEmpty })
        #expect(shorter.flatMap { pauses(in: $0) }.contains { $0.end == .resumed })
    }

    // MARK: - Histories

    private func played(seed: UInt64, _ actions: [HistoryAction]) async throws -> (
        History.Verdict, lines: [String]
    ) {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        var plan = HistoryPlan(seed: seed)
        plan.actions = actions
        (plan.requiresFaults, plan.checksIdempotence, plan.checksFollowing) = (false, false, false)
        let history = History(plan, keepsTranscript: true)
        let verdict = try await history.run(in: workspace)
        try workspace.close()
        try template.remove()
        return (verdict, history.transcript.lines)
    }

    @Test(arguments: [RunPause.End.resumed, .cancelled, .killed(power: nil), .killed(power: 7)])
    func aPausedSyncIsResumedCancelledOrKilledAsPlanned(end: RunPause.End) async throws {
        var paused = 0
        for seed: UInt64 in 1...4 {
            var random = SplitMix(seed: seed), pause = RunPause(&random), sync = SyncAction()
            (pause.request, pause.concurrentActions, pause.end) = (
                3, [.partnerEdit(40), .localEdit(41), .wait(400)], end
            )
            sync.pause = pause
            let actions = [HistoryAction.partnerEdit(1), .partnerEdit(2), .partnerEdit(3), .sync(sync)]
            let (verdict, lines) = try await played(seed: seed, actions)
            #expect(verdict.violations.isEmpty, "seed \(seed): \(lines.suffix(20))")
            paused += verdict.counts.hazards["a pause, \(end.name)"] ?? 0
            if case .killed = end, verdict.counts.hazards["a pause, killed"] != nil {
                #expect(verdict.counts.crashes == 1)
            }
        }
        #expect(paused > 0)
    }

    @Test func aPausedWatchWaitsInItsRoundsAndBeforeItsFirstSync() async throws {
        let seed = try #require(
            (1...100).first { seed in
                HistoryPlan(seed: seed).actions.contains { if case .watch = $0 { true } else { false } }
            })
        typealias Round = WatchAction.Round
        let rounds = [
            Round(before: [.pauseWatch, .partnerEdit(4)]), Round(before: [.wait(400)]),
            Round(before: [.resumeWatch, .wait(400)]),
        ]
        let waiting = [Round(before: [.wait(400)]), Round(before: [.resumeWatch, .wait(400)]), Round()]
        let (verdict, lines) = try await played(
            seed: UInt64(seed),
            [
                .partnerEdit(1), .partnerEdit(2), .watch(WatchAction(rounds: rounds)), .pauseWatch,
                .watch(WatchAction(rounds: waiting)),
            ])
        #expect(verdict.violations.isEmpty, "\(lines.suffix(20))")
        #expect(verdict.counts.hazards["a paused watch"] == 2)
        #expect(verdict.counts.hazards["a watch that waits to begin"] == 2)
        #expect(lines.filter { $0 == "here: mirror pause" }.count == 2)
        #expect(lines.filter { $0 == "watch: resumed" }.count == 2)
    }

    // MARK: - Checks

    @Test func theCheckRequiresThatAWatchIsIdleDuringAPauseAndWorksAfterIt() {
        func holds(_ isPaused: Bool, mustProgress: Bool = false, _ requests: Int, _ lines: [String]) -> Bool {
            WatchPauseCheck(isPaused: isPaused, mustProgress: mustProgress, requests: requests, lines: lines)
                .violations().isEmpty
        }
        #expect(holds(true, 0, []))
        #expect(holds(true, 0, ["paused 2026-11-18T06:30:00Z"]))
        #expect(!holds(true, 1, []))
        #expect(!holds(true, 0, ["page of partner, 1 events"]))
        #expect(holds(false, 0, []))
        #expect(holds(false, mustProgress: true, 1, ["resumed"]))
        #expect(holds(false, mustProgress: true, 0, ["resumed", "loop partner backing_off"]))
        #expect(!holds(false, mustProgress: true, 0, ["resumed"]))
        #expect(!holds(false, mustProgress: true, 0, []))
    }

    @Test func theCheckRequiresThatAPausedSyncIsIdleAndACancelledOneIsLoggedAndUnlocked() {
        #expect(PauseCheck().violations().isEmpty)
        #expect(PauseCheck(requests: 1).violations().map(\.invariant) == [.reportsAreAccurate])
        #expect(PauseCheck(isAtRest: false).violations().map(\.invariant) == [.reportsAreAccurate])
        func found(_ outcome: SyncSummary.Outcome, _ logged: String?, _ isUnlocked: Bool) -> [Invariant] {
            PauseCheck.violations(afterCancelling: outcome, logged: logged, isUnlocked: isUnlocked)
                .map(\.invariant)
        }
        #expect(found(.cancelled, "cancelled", true) == [])
        #expect(found(.complete, "complete", true) == [.reportsAreAccurate])
        #expect(found(.cancelled, "complete", true) == [.reportsAreAccurate])
        #expect(found(.cancelled, nil, true) == [.reportsAreAccurate])
        #expect(found(.cancelled, "cancelled", false) == [.oneRunAtATime])
    }
}
