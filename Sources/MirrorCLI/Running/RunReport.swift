import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Prints the items, problems and summary of a sync or import, and determines the exit code.
struct RunReport: Sendable {
    let results: Results
    let screen: Screen
    let isQuiet: Bool
    let folder: MirrorFolder

    /// Prints an event: every event with `--json`, else only waits and refused optional writes.
    func add(_ event: SyncMonitor.Event) {
        if results.isJSON { results.output.json(Self.object(event)) }
        switch event {
        case .problem(let problem) where problem.isNotSupported && !results.isJSON && !isQuiet:
            screen.line("mirror: \(problem.message.printable)")
        case .waiting(let waiting):
            // Flushed now, because the next output may come only after the wait.
            results.output.flush()
            if !isQuiet { screen.line("mirror: \(WaitingText.logLine(waiting))") }
        default: break
        }
    }

    /// Prints the summary.
    ///
    /// - Parameter problems: problems that were not reported while it ran.
    /// - Throws: `ExitCode` unless the outcome is `complete`.
    func finish(_ summary: SyncSummary, unreported problems: [Problem] = []) throws {
        if results.isJSON { for problem in problems { add(.problem(problem)) } }
        try end(
            summary.json, SummaryText.lines(summary, place: folder.path), Self.sentence(summary),
            ExitStatus(summary))
    }

    /// Prints the plan that a dry run made.
    ///
    /// - Parameter hasExitCode: whether the exit code reports changes to make.
    /// - Throws: `ExitCode` unless the outcome is `complete` and, with `hasExitCode`, there are no changes to make.
    func finishPlan(_ summary: SyncSummary, hasExitCode: Bool) throws {
        let sentence =
            summary.outcome == .partial
            ? "\(Wording.count(summary.allProblems, "check")) failed, so the plan above is incomplete. Run the command again."
            : Self.sentence(summary)
        try end(
            summary.json, PlanText.lines(summary, place: folder.path), sentence,
            Self.status(ofPlan: summary, hasExitCode: hasExitCode))
    }

    /// The exit status of a dry run. A failure has the same status as in a sync; the guard is part of the plan.
    static func status(ofPlan summary: SyncSummary, hasExitCode: Bool) -> ExitStatus {
        let status = ExitStatus(summary)
        return status == .complete && hasExitCode && summary.plan?.hasChanges == true ? .changes : status
    }

    /// Prints the result on standard output, and a sentence about a failure on standard error.
    ///
    /// - Throws: `ExitCode` unless `status` is `complete`.
    func end(
        _ json: JSONObject, _ lines: @autoclosure () -> [String], _ sentence: String?, _ status: ExitStatus
    ) throws {
        if results.isJSON || !isQuiet { results.add(json, lines: lines()) }
        results.output.flush()
        if let sentence { screen.line("mirror: \(sentence.printable)") }
        guard status == .complete else { throw ExitCode(status.rawValue) }
    }

    /// The sentence for standard error; `nil` for a complete run.
    static func sentence(_ summary: SyncSummary) -> String? {
        switch summary.outcome {
        case .complete: nil
        case .partial where summary.continuesAt != nil: paused(summary)
        case .partial where summary.failure != nil: summary.failure
        case .partial where summary.failedOnlyEdits:
            "\(Wording.count(summary.problems.count, "edit")) could not be pushed to the server; everything else is up to date. See mirror status \(summary.partner)"
        case .partial:
            "\(Wording.count(summary.allProblems, "problem")) occurred; everything else\(summary.only.isEmpty ? "" : " of \(SummaryText.kinds(summary.only))") is up to date. Run the command again to retry."
        case .guarded: ErrorMessage.guarded(summary)
        case .failed: summary.failure ?? "The run failed."
        case .cancelled: ErrorMessage.interrupted
        }
    }

    /// The sentences about a run that the source paused: why, what is stored, and how it continues.
    private static func paused(_ summary: SyncSummary) -> String {
        let name = summary.partner.printable
        return
            "\(summary.failure ?? "The source allows no further requests for now.") Everything that was fetched is stored, and the next sync continues there. To let it wait and continue by itself, run mirror watch \(name)"
    }

    static func object(_ event: SyncMonitor.Event) -> JSONObject {
        switch event {
        case .item(let kind, let id, let action, let bytes):
            JSONObject(known: [
                "type": "item", "kind": .string(kind), "id": .string(id), "action": .string(action),
                "bytes": bytes.map { .integer(Int($0)) },
            ])
        case .waiting(let waiting):
            WaitingText.object(waiting)
        case .problem(let problem): problem.json
        }
    }
}

extension SyncSummary {
    fileprivate var allProblems: Int { problems.count + furtherProblems }

    /// Whether only pushes of edits failed. Another run may fail in the same way, so it isn't recommended.
    fileprivate var failedOnlyEdits: Bool {
        furtherProblems == 0 && !problems.isEmpty && problems.allSatisfy { $0.what == "push" }
    }
}

extension Problem {
    /// The problem for `--json`.
    var json: JSONObject {
        JSONObject(known: [
            "type": "problem", "what": .string(what), "message": .string(message),
            "kind": kind.map(JSONValue.string), "id": id.map(JSONValue.string),
        ])
    }
}
