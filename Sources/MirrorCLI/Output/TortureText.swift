import MirrorSimulation
import PartnerAPI

/// How histories are told of.
enum TortureText {
    /// A history that doesn't hold, and the shortest that still doesn't.
    static func lines(_ finding: Shrinking.Finding) -> [String] {
        let what = "The history of seed \(finding.seed) does not hold: \(finding.violation)"
        guard !finding.lines.isEmpty else { return [what, ""] }
        return [what, "The shortest that was found in \(finding.tried) tries:"]
            + finding.lines.map { "  \($0)" } + ["Again: mirror torture --seed \(finding.seed)", ""]
    }

    /// What was done in all.
    static func lines(_ outcome: Torture.Outcome, _ seeds: ClosedRange<UInt64>, seconds: Double) -> [String] {
        let report = outcome.report
        let which =
            seeds.count == 1 ? "seed \(seeds.lowerBound)" : "seeds \(seeds.lowerBound) to \(seeds.upperBound)"
        let found =
            switch report.failures {
            case 0: report.histories == 1 ? "it holds" : "all hold"
            case 1: "1 does not hold"
            default: "\(Wording.count(report.failures)) do not hold"
            }
        let histories = report.histories == 1 ? "1 history" : "\(Wording.count(report.histories)) histories"
        return [
            "\(histories), \(which): \(found).",
            [
                Wording.count(report.steps, "step") + ": " + Wording.count(report.requests, "request"),
                Wording.count(report.counts.faults, "fault"),
                Wording.count(report.counts.crashes) + (report.counts.crashes == 1 ? " crash" : " crashes"),
                Wording.count(report.counts.edits, "edit") + " at both ends, in "
                    + Wording.count(report.counts.syncs, "sync") + " and "
                    + Wording.count(report.counts.rounds, "round") + " of events.",
            ].joined(separator: ", "),
            "\(Wording.duration(seconds)), \(Wording.count(rate(outcome))) steps a second a core.",
        ]
    }

    static func summary(_ outcome: Torture.Outcome, _ seeds: ClosedRange<UInt64>, seconds: Double)
        -> JSONObject
    {
        let report = outcome.report
        return [
            "type": "summary", "outcome": .string(report.failures == 0 ? "complete" : "failed"),
            "histories": .integer(report.histories), "steps": .integer(report.steps),
            "steps_per_core_second": .integer(rate(outcome)), "failures": .integer(report.failures),
            "requests": .integer(report.requests), "faults": .integer(report.counts.faults),
            "crashes": .integer(report.counts.crashes), "edits": .integer(report.counts.edits),
            "syncs": .integer(report.counts.syncs), "rounds": .integer(report.counts.rounds),
            "first_seed": .string("\(seeds.lowerBound)"), "last_seed": .string("\(seeds.upperBound)"),
            "fingerprint": .string(String(report.fingerprint, radix: 16)),
            "seconds": .decimal(seconds),
        ]
    }

    private static func rate(_ outcome: Torture.Outcome) -> Int {
        outcome.seconds > 0 ? Int(Double(outcome.report.steps) / outcome.seconds) : 0
    }
}
