import ArgumentParser
import MirrorStore
import MirrorSync

/// Runs a dry run and reports it: the planned items with `--json`, the plan, and the exit code.
struct PlanRun: Sendable {
    let report: RunReport
    /// Whether changes to make are told by the exit code.
    let hasExitCode: Bool

    /// Prints the plan.
    ///
    /// - Throws: `ExitCode` unless all went well and, where that is asked for, there is nothing to do.
    func finish(_ summary: SyncSummary) throws {
        let output = report.output
        if report.json {
            output.json(summary.json)
        } else if !report.isQuiet {
            for line in PlanText(summary, place: report.folder.path).lines { output.line(line) }
        }
        output.flush()
        let status = status(of: summary)
        if let sentence = Self.sentence(summary) { report.screen.line("mirror: \(sentence.printable)") }
        guard status == .complete else { throw ExitCode(status.rawValue) }
    }

    /// A failure is told as in a sync; the guard is part of the plan.
    func status(of summary: SyncSummary) -> ExitStatus {
        let status = ExitStatus(summary)
        guard status == .complete, hasExitCode else { return status }
        return summary.plan?.hasChanges == true ? .changes : .complete
    }

    private static func sentence(_ summary: SyncSummary) -> String? {
        summary.outcome == .partial
            ? "\(Wording.count(summary.problems.count + summary.furtherProblems, "thing")) could not be looked at; what is said above leaves that out."
            : RunReport.sentence(summary)
    }
}
