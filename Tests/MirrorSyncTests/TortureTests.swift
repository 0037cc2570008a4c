import MirrorSimulation
import Synchronization
import Testing

/// Random histories of a partner and its mirror: the catalogue changes, albums are edited at both ends, times pass,
/// answers fail, processes die at any write.
///
/// Here are a few; `mirror-bench torture` runs as many as are wanted, and replays one by its seed.
@Suite("Random histories of a partner and its mirror", .serialized)
struct TortureTests {
    /// Several at a time in one process, as other programs may be embedded beside a mirror: they do no harm to each other,
    /// and the same seed makes the same history as alone.
    @Test func holdWhateverHappens() async throws {
        let reports = try await withThrowingTaskGroup(of: HistoryBatch.Report.self) { group in
            for part: UInt64 in 4...6 {
                group.addTask {
                    try await HistoryBatch(seeds: part...9, stride: 3).run { verdict, _ in
                        for violation in verdict.violations {
                            Issue.record("seed \(verdict.seed): \(violation)")
                        }
                        #expect(verdict.counts.syncs > 0, "seed \(verdict.seed)")
                        #expect(verdict.counts.faults > 0, "seed \(verdict.seed)")
                        #expect(verdict.counts.crashes > 0, "seed \(verdict.seed)")
                        return true
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var all = HistoryBatch.Report()
        for report in reports { all.add(report) }
        #expect(all.histories == 6)
        #expect(all.counts.rounds > 0)
        #expect(all.steps > all.requests)
        #expect(try await HistoryBatch(seeds: 4...9).run() == all)
    }

    @Test func areTheSameFromTheSameSeed() async throws {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        let first = History(seed: 9, keepsTranscript: true), second = History(seed: 9, keepsTranscript: true)
        _ = try await first.run(in: workspace)
        _ = try await second.run(in: workspace)
        try template.remove()
        #expect(first.transcript.lines.count > 20)
        #expect(first.transcript.lines == second.transcript.lines)
    }

    /// A check that never fails proves nothing.
    @Test(arguments: PlantedBug.all + PlantedBug.others)
    func findAPlantedBugWithin200Seeds(bug: PlantedBug) async throws {
        var found: UInt64?
        var batch = HistoryBatch(seeds: bug.first...(bug.first + 199))
        batch.injectedBug = bug.injectedBug
        _ = try await batch.run { verdict, _ in
            if verdict.violations.contains(where: { $0.invariant == bug.invariant }) { found = verdict.seed }
            return found == nil
        }
        #expect(found != nil, "\(bug.name)")
    }

    /// Where both hold the same, as mostly, one request says so.
    @Test func auditsByDigestAreAmongThem() async throws {
        let asked = Mutex<(roots: Int, others: Int)>((0, 0))
        var batch = HistoryBatch(seeds: 87...94)
        batch.injectedBug = InjectedBug(transport: { inner, _ in
            MeddlingTransport(inner) { request, came in
                if request.url.contains("/digest?") {
                    asked.withLock {
                        if request.url.hasSuffix("prefix=") { $0.roots += 1 } else { $0.others += 1 }
                    }
                }
                return try came.get()
            }
        })
        _ = try await batch.run { _, _ in true }
        let (roots, others) = asked.withLock { $0 }
        #expect(roots >= 3 && others > 0 && others <= roots, "\(roots) and \(others)")
    }

    @Test func oneBugIsPlantedForEachThatMustNeverBeFalse() {
        #expect(PlantedBug.all.map(\.invariant) == Invariant.allCases.filter { $0 != .historyCompletes })
    }

    /// Of a history that doesn't hold, what has nothing to do with it is left out, the same each time.
    @Test func thatDoNotHoldAreMadeShorter() async throws {
        let bug = try #require(PlantedBug.all.first { $0.invariant == .readersSeeCompleteObjects })
        var batch = HistoryBatch(seeds: 1...200), findings: [HistoryShrinker.Finding] = []
        batch.injectedBug = bug.injectedBug
        _ = try await batch.run { verdict, workspace in
            guard let violation = verdict.violations.first(where: { $0.invariant == bug.invariant })
            else {
                return true
            }
            let plan = HistoryPlan(seed: verdict.seed)
            var shrinking = HistoryShrinker(injectedBug: bug.injectedBug)
            shrinking.limit = 12
            for _ in 0..<2 {
                findings.append(
                    try await shrinking.shortest(of: plan, violation, in: workspace))
            }
            return false
        }
        let finding = try #require(findings.first)
        #expect(finding.actions < HistoryPlan(seed: finding.seed).count / 2)
        #expect(finding.tried <= 12)
        #expect(finding.lines.contains { $0.contains("A reader never sees half an object.") })
        #expect(findings.map(\.lines).first == findings.map(\.lines).last)
    }

    /// What was seen once is not lost where it isn't seen again.
    @Test func thatHoldWhenTheyAreRunAgainAreToldAsTheyWere() async throws {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        var shrinking = HistoryShrinker()
        shrinking.limit = 0
        let finding = try await shrinking.shortest(
            of: HistoryPlan(seed: 1), Violation(.filesAreIntact, "A file is not."), seen: ["As it was."],
            in: workspace)
        #expect(finding.lines.first == "As it was." && finding.lines.count == 2)
        #expect(finding.lines.last?.hasPrefix("Run again, it holds") == true)
        try workspace.close()
        try template.remove()
    }
}
