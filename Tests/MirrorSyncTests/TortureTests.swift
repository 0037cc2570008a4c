import MirrorSimulation
import Synchronization
import Testing

/// A few random histories of a partner and its mirror. In each, the catalogue changes, albums are edited on both sides, time
/// passes, answers fail, and processes are killed at any write.
///
/// `mirror-bench torture` runs any number of them, and repeats one from its seed.
@Suite("Random histories of a partner and its mirror", .serialized)
struct TortureTests {
    /// Several histories run at the same time in one process. They don't influence each other: each seed gives the same history
    /// as when it runs alone.
    @Test func simulatedHistoriesKeepAllInvariants() async throws {
        let reports = try await withThrowingTaskGroup(of: HistoryBatch.Report.self) { group in
            for part: UInt64 in 4...6 {
                group.addTask {
                    try await HistoryBatch(seeds: part...6, stride: 3).run { verdict, _ in
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
        #expect(all.histories == 3)
        #expect(all.counts.rounds > 0)
        #expect(all.steps > all.requests)
        #expect(try await HistoryBatch(seeds: 4...6).run() == all)
    }

    @Test func aHistoryIsReproducibleFromItsSeed() async throws {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        let first = History(seed: 9, keepsTranscript: true), second = History(seed: 9, keepsTranscript: true)
        _ = try await first.run(in: workspace)
        _ = try await second.run(in: workspace)
        try template.remove()
        #expect(first.transcript.lines.count > 20)
        #expect(first.transcript.lines == second.transcript.lines)
    }

    /// Each invariant's check must be able to fail, so it has to find a bug that is made on purpose.
    @Test(arguments: PlantedBug.all + PlantedBug.others)
    func aPlantedBugIsFoundWithin200Seeds(bug: PlantedBug) async throws {
        var found: UInt64?
        var batch = HistoryBatch(seeds: bug.first...(bug.first + 199))
        batch.injectedBug = bug.injectedBug
        _ = try await batch.run { verdict, _ in
            if verdict.violations.contains(where: { $0.invariant == bug.invariant }) { found = verdict.seed }
            return found == nil
        }
        #expect(found != nil, "\(bug.name)")
    }

    /// Most audits need one request, for the root, because mirror and server are equal.
    @Test func simulatedHistoriesIncludeAuditsByDigest() async throws {
        let asked = Mutex<(roots: Int, others: Int)>((0, 0))
        var batch = HistoryBatch(seeds: 87...94)
        batch.injectedBug = InjectedBug(transport: { inner, _ in
            TamperingTransport(inner) { request, came in
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

    @Test func thereIsAPlantedBugForEachInvariant() {
        // Only the histories of museums check these.
        let others: Set<Invariant> = [.historyCompletes, .budgetIsKept, .deletionsAreRestorable]
        #expect(PlantedBug.all.map(\.invariant) == Invariant.allCases.filter { !others.contains($0) })
    }

    /// Actions that are not needed for the failure are left out, and repeating the search gives the same result.
    @Test func aFailingHistoryIsShortenedReproducibly() async throws {
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

    /// If the history passes when it is run again, the transcript of the failure is still reported.
    @Test func aSimulationFailureThatDoesNotRecurIsReportedAsItWasFirstSeen() async throws {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        var shrinking = HistoryShrinker()
        shrinking.limit = 0
        let finding = try await shrinking.shortest(
            of: HistoryPlan(seed: 1), Violation(.filesAreIntact, "A file is not."), seen: ["As it was."],
            in: workspace)
        #expect(finding.lines.first == "As it was." && finding.lines.count == 2)
        #expect(finding.lines.last?.hasPrefix("The history passes when it is run again") == true)
        try workspace.close()
        try template.remove()
    }
}
