import MirrorSimulation
import Testing

/// Random histories of a partner and its mirror: the catalogue changes, albums are edited at both ends, times pass,
/// answers fail, processes die at any write.
///
/// Here are a few; `mirror torture` runs as many as are wanted, and replays one by its seed.
@Suite("Random histories of a partner and its mirror", .serialized)
struct TortureTests {
    @Test func holdWhateverHappens() async throws {
        let report = try await HistoryBatch(seeds: 1...12).run { verdict, _ in
            for violation in verdict.violations { Issue.record("seed \(verdict.seed): \(violation)") }
            return true
        }
        #expect(report.histories == 12)
        #expect(report.counts.syncs >= 24)
        #expect(report.counts.rounds > 0)
        #expect(report.steps > report.requests)
    }

    @Test func eachHaveASyncAFaultAndACrash() async throws {
        _ = try await HistoryBatch(seeds: 21...28).run { verdict, _ in
            #expect(verdict.counts.syncs > 0, "seed \(verdict.seed)")
            #expect(verdict.counts.faults > 0, "seed \(verdict.seed)")
            #expect(verdict.counts.crashes > 0, "seed \(verdict.seed)")
            return true
        }
    }

    /// The same seed makes the same history, alone or after others.
    @Test func areTheSameFromTheSameSeed() async throws {
        var fingerprints: [UInt64] = []
        _ = try await HistoryBatch(seeds: 7...9).run { verdict, _ in
            fingerprints.append(verdict.fingerprint)
            return true
        }
        let template = try MirrorTemplate()
        let history = History(seed: 9, keepsTranscript: true)
        let verdict = try await history.run(at: HistoryPlace(template))
        try template.remove()
        #expect(history.transcript.lines.count > 20)
        #expect(verdict.fingerprint == fingerprints[2])
        #expect(Set(fingerprints).count == 3)
    }

    @Test func doNoHarmToEachOtherInOneProcess() async throws {
        let all = try await withThrowingTaskGroup(of: [UInt64: UInt64].self) { group in
            for first: UInt64 in [41, 141, 241] {
                group.addTask {
                    var fingerprints: [UInt64: UInt64] = [:]
                    _ = try await HistoryBatch(seeds: first...(first + 39)).run { verdict, _ in
                        for violation in verdict.violations {
                            Issue.record("seed \(verdict.seed): \(violation)")
                        }
                        fingerprints[verdict.seed] = verdict.fingerprint
                        return true
                    }
                    return fingerprints
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
        }
        #expect(all.count == 120)
    }

    /// A check that never fails proves nothing.
    @Test(arguments: PlantedBug.all)
    func findAPlantedBugWithin200Seeds(bug: PlantedBug) async throws {
        var found: UInt64?
        var batch = HistoryBatch(seeds: 1...200)
        batch.sabotage = bug.sabotage
        _ = try await batch.run { verdict, _ in
            if verdict.violations.contains(where: { $0.invariant == bug.invariant }) { found = verdict.seed }
            return found == nil
        }
        #expect(found != nil, "\(bug.name)")
    }

    @Test func oneBugIsPlantedForEachThatMustNeverBeFalse() {
        #expect(PlantedBug.all.map(\.invariant) == Invariant.allCases.filter { $0 != .goesOn })
    }

    /// Of a history that doesn't hold, what has nothing to do with it is left out, the same each time.
    @Test func thatDoNotHoldAreMadeShorter() async throws {
        let bug = try #require(PlantedBug.all.first { $0.invariant == .readersSeeWholeObjects })
        var batch = HistoryBatch(seeds: 1...200), findings: [Shrinking.Finding] = []
        batch.sabotage = bug.sabotage
        _ = try await batch.run { verdict, place in
            guard let violation = verdict.violations.first(where: { $0.invariant == bug.invariant }) else {
                return true
            }
            let plan = HistoryPlan(seed: verdict.seed)
            for _ in 0..<2 {
                findings.append(
                    try await Shrinking(sabotage: bug.sabotage).shortest(of: plan, violation, at: place))
            }
            return false
        }
        let finding = try #require(findings.first)
        #expect(finding.moves <= 3)
        #expect(finding.lines.last?.contains("A reader never sees half an object.") == true)
        #expect(findings.map(\.lines).first == findings.map(\.lines).last)
    }
}
