import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

extension SyncSummary {
    /// Whether all that failed are edits that the server didn't take: some of these no other run would bring there.
    fileprivate var failedOnlyEdits: Bool {
        furtherProblems == 0 && !problems.isEmpty && problems.allSatisfy { $0.what == "push" }
    }
}

/// Reports a sync or import: items as they happen, problems, and the summary; decides the exit code.
struct RunReport: Sendable {
    let output: LineOutput
    let screen: Screen
    let json: Bool
    let isQuiet: Bool
    let folder: MirrorFolder

    /// Prints what happens, where that was asked for.
    var monitor: SyncMonitor {
        SyncMonitor { event in tell(event) }
    }

    func tell(_ event: SyncMonitor.Event) {
        if json { output.json(Self.object(event)) }
        if case .problem(let problem) = event, problem.isNotOffered, !json, !isQuiet {
            screen.line("mirror: \(problem.message.printable)")
        }
        guard case .waiting(let waiting) = event else { return }
        // Who reads along is told at once: nothing else may come for a while.
        output.flush()
        if !isQuiet { screen.line("mirror: \(WaitingText.begun(waiting))") }
    }

    /// Prints the summary.
    ///
    /// - Parameter problems: problems that were not reported while it ran.
    /// - Throws: `ExitCode` unless all went well.
    func finish(_ summary: SyncSummary, unreported problems: [Problem] = []) throws {
        if json {
            for problem in problems { output.json(Self.object(.problem(problem))) }
            output.json(summary.json)
        } else if !isQuiet {
            for line in SummaryText(summary, place: folder.path).lines { output.line(line) }
        }
        output.flush()
        let status = ExitStatus(summary)
        if let sentence = Self.sentence(summary) { screen.line("mirror: \(sentence.printable)") }
        guard status == .complete else { throw ExitCode(status.rawValue) }
    }

    /// What is said on standard error of a run that didn't end as it should.
    static func sentence(_ summary: SyncSummary) -> String? {
        switch summary.outcome {
        case .complete: nil
        case .partial where summary.failedOnlyEdits:
            "\(Wording.count(summary.problems.count, "edit")) did not get to the server; everything else is here. What becomes of \(summary.problems.count == 1 ? "it" : "them") is in: mirror status \(summary.partner)"
        case .partial:
            "\(Wording.count(summary.problems.count + summary.furtherProblems, "thing")) went wrong; everything else is here. Run the command again to try those once more."
        case .guarded: Sentence.guarded(summary)
        case .failed: summary.failure ?? "The run failed."
        case .cancelled: Sentence.known(CancellationError())
        }
    }

    static func object(_ event: SyncMonitor.Event) -> JSONObject {
        switch event {
        case .item(let kind, let id, let action, let bytes):
            var object: JSONObject = [
                "type": "item", "kind": .string(kind), "id": .string(id), "action": .string(action),
            ]
            object["bytes"] = bytes.map { .integer(Int($0)) }
            return object
        case .waiting(let waiting):
            return WaitingText.object(waiting)
        case .problem(let problem):
            var object: JSONObject = [
                "type": "problem", "what": .string(problem.what), "message": .string(problem.message),
            ]
            object["kind"] = problem.kind.map(JSONValue.string)
            object["id"] = problem.id.map(JSONValue.string)
            return object
        }
    }
}
