import Catalogue
import Foundation
import MirrorSimulation

/// Formats the results of simulations, as text and as JSON.
enum TortureText {
    /// A failing history, and the shortest one that still fails.
    static func lines(_ finding: HistoryShrinker.Finding) -> [String] {
        let what = sanitised(
            "The history with seed \(finding.seed) violates an invariant: \(finding.violation)")
        guard !finding.lines.isEmpty else { return [what, ""] }
        return [what, "The shortest history that was found in \(finding.tried) tries:"]
            + finding.lines.map { "  \(sanitised($0))" } + [
                "Run it again: mirror-bench torture --seed \(finding.seed)", "",
            ]
    }

    static func json(_ finding: HistoryShrinker.Finding) -> JSONObject {
        let invariant = finding.violation.invariant
        return [
            "type": "finding", "seed": .string("\(finding.seed)"), "invariant": .integer(invariant.rawValue),
            "sentence": .string(invariant.sentence), "seen": .string(finding.violation.what),
            "history": .array(finding.lines.map(JSONValue.string)),
        ]
    }

    /// Replaces control characters, which occur in simulated names and could control a terminal.
    private static func sanitised(_ text: String) -> String {
        let isHarmful: Set<Unicode.GeneralCategory> = [.control, .format]
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    isHarmful.contains($0.properties.generalCategory) ? "\u{FFFD}" : $0
                }))
    }

    /// The totals.
    static func lines(_ outcome: Torture.Outcome, _ seeds: ClosedRange<UInt64>, seconds: Double) -> [String] {
        let report = outcome.report
        let which =
            seeds.count == 1 ? "seed \(seeds.lowerBound)" : "seeds \(seeds.lowerBound) to \(seeds.upperBound)"
        let found =
            switch report.failures {
            case 0: report.histories == 1 ? "it passed" : "all passed"
            case 1: "1 failed"
            default: "\(count(report.failures)) failed"
            }
        let histories = report.histories == 1 ? "1 history" : "\(count(report.histories)) histories"
        return [
            "\(histories), \(which): \(found).",
            [
                count(report.steps, "step") + ": " + count(report.requests, "request"),
                count(report.counts.faults, "fault"),
                count(report.counts.crashes) + (report.counts.crashes == 1 ? " crash" : " crashes"),
                count(report.counts.edits, "edit") + " at both ends, in "
                    + count(report.counts.syncs, "sync") + " and "
                    + count(report.counts.rounds, "round") + " of events.",
            ].joined(separator: ", "),
        ] + hazards(report) + [
            "\(duration(seconds)), \(count(rate(outcome))) steps per second and core."
        ]
    }

    /// The hazards that occurred; empty if there were none.
    private static func hazards(_ report: HistoryBatch.Report) -> [String] {
        let hazards = report.counts.hazards.sorted { $0.key < $1.key }
        return hazards.isEmpty
            ? []
            : ["Runs with " + hazards.map { "\($0.key): \(count($0.value))" }.joined(separator: "; ") + "."]
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
            "hazards": .object(
                JSONObject(
                    report.counts.hazards.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
            "first_seed": .string("\(seeds.lowerBound)"), "last_seed": .string("\(seeds.upperBound)"),
            "fingerprint": .string(String(report.fingerprint, radix: 16)),
            "seconds": .decimal(seconds),
        ]
    }

    /// `1,234,567`
    static func count(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")))
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func duration(_ seconds: Double) -> String {
        seconds < 60 ? "\(seconds.text(1)) s" : "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }

    private static func rate(_ outcome: Torture.Outcome) -> Int {
        outcome.seconds > 0 ? Int(Double(outcome.report.steps) / outcome.seconds) : 0
    }
}
