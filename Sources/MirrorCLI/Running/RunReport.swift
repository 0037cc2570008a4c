import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Reports a sync or import: items as they happen, problems, and the summary; decides the exit code.
struct RunReport: Sendable {
    let results: Results
    let screen: Screen
    let isQuiet: Bool
    let folder: MirrorFolder

    /// Prints what happens, where that was asked for.
    func add(_ event: SyncMonitor.Event) {
        if results.isJSON { results.output.json(Self.object(event)) }
        switch event {
        case .problem(let problem) where problem.isNotOffered && !results.isJSON && !isQuiet:
            screen.line("mirror: \(problem.message.printable)")
        case .waiting(let waiting):
            // A reader sees it at once: nothing else may follow for a while.
            results.output.flush()
            if !isQuiet { screen.line("mirror: \(WaitingText.begun(waiting))") }
        default: break
        }
    }

    /// Prints the summary.
    ///
    /// - Parameter problems: problems that were not reported while it ran.
    /// - Throws: `ExitCode` unless all went well.
    func finish(_ summary: SyncSummary, unreported problems: [Problem] = []) throws {
        if results.isJSON { for problem in problems { add(.problem(problem)) } }
        try end(
            summary.json, SummaryText.lines(summary, place: folder.path), Self.sentence(summary),
            ExitStatus(summary))
    }

    /// Prints the plan that a dry run made.
    ///
    /// - Parameter hasExitCode: whether the exit code reports changes to make.
    /// - Throws: `ExitCode` unless all went well and, where that is asked for, there is nothing to do.
    func finishPlan(_ summary: SyncSummary, hasExitCode: Bool) throws {
        let sentence =
            summary.outcome == .partial
            ? "\(Wording.count(summary.allProblems, "thing")) could not be looked at; what is said above leaves that out."
            : Self.sentence(summary)
        try end(
            summary.json, PlanText.lines(summary, place: folder.path), sentence,
            Self.status(ofPlan: summary, hasExitCode: hasExitCode))
    }

    /// A failure is reported as in a sync; the guard is part of the plan.
    static func status(ofPlan summary: SyncSummary, hasExitCode: Bool) -> ExitStatus {
        let status = ExitStatus(summary)
        return status == .complete && hasExitCode && summary.plan?.hasChanges == true ? .changes : status
    }

    /// Prints how a run ended, on standard output and, in a sentence, on standard error.
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

    /// What standard error says of a run that did not end well.
    static func sentence(_ summary: SyncSummary) -> String? {
        switch summary.outcome {
        case .complete: nil
        case .partial where summary.failedOnlyEdits:
            "\(Wording.count(summary.problems.count, "edit")) did not get to the server; everything else is here. What becomes of \(summary.problems.count == 1 ? "it" : "them") is in: mirror status \(summary.partner)"
        case .partial:
            "\(Wording.count(summary.allProblems, "thing")) went wrong; everything else\(summary.only.isEmpty ? "" : " that was asked for") is here. Run the command again to try those once more."
        case .guarded: ErrorMessage.guarded(summary)
        case .failed: summary.failure ?? "The run failed."
        case .cancelled: ErrorMessage.interrupted
        }
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

    /// Whether all that failed are edits that the server didn't accept: another run would not bring some of them there.
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
