import Catalogue
import MirrorSync

/// Prints the findings and the summary of a verification, and determines the exit code.
struct VerifyReport: Sendable {
    let report: RunReport

    /// A monitor that prints each finding immediately.
    var monitor: VerifyMonitor {
        VerifyMonitor { [report] event in
            if report.results.isJSON {
                report.results.output.json(Self.object(event))
            } else if let line = Self.line(event), !report.isQuiet {
                // On a terminal the block is removed; it is drawn again at the next update.
                report.screen.clear()
                report.results.line(line)
            }
        }
    }

    /// Prints the summary.
    ///
    /// - Throws: `ExitCode` unless the mirror is intact.
    func finish(_ summary: VerifySummary) throws {
        try report.end(
            summary.json, VerifyText.lines(summary, place: report.folder.path), Self.sentence(summary),
            Self.status(summary))
    }

    static func status(_ summary: VerifySummary) -> ExitStatus {
        switch summary.outcome {
        case .complete, .repaired: .complete
        case .findings: .failed
        case .cancelled: .interrupted
        case .failed: summary.cause.map(ExitStatus.init(error:)) ?? .failed
        }
    }

    /// The sentence for standard error; `nil` for an intact mirror.
    static func sentence(_ summary: VerifySummary) -> String? {
        switch summary.outcome {
        case .complete, .repaired: nil
        case .cancelled: ErrorMessage.interrupted
        case .failed: summary.failure ?? "The mirror could not be verified."
        case .findings:
            if let failure = summary.failure {
                failure
            } else if let sync = summary.sync, sync.outcome == .guarded {
                ErrorMessage.guarded(sync)
            } else if summary.isRepair {
                "\(Wording.count(summary.remainingFindings, "finding")) could not be repaired."
                    + (summary.remaining[.damaged] == nil
                        ? ""
                        : " Damaged files are kept until the server has intact copies. Delete the files in media/damaged that you don't need.")
            } else if summary.found.keys.allSatisfy(\.isRemote) {
                "The mirror differs from its server. Fetch the differences with: mirror verify \(summary.partner) --remote --repair"
            } else {
                "The mirror has \(Wording.count(summary.findings, "finding")). Repair it with: mirror verify \(summary.partner) --repair"
            }
        }
    }

    static func line(_ event: VerifyMonitor.Event) -> String? {
        switch event {
        case .found(let finding): text(finding)
        case .remains(let finding): "not repaired: \(text(finding))"
        case .sync: nil
        }
    }

    private static func text(_ finding: Finding) -> String {
        let subject = [finding.kind, finding.id.map { $0.truncated(to: 60) }].compactMap(\.self)
            .joined(separator: " ")
        let place = [subject, finding.path ?? "", finding.url ?? ""].filter { !$0.isEmpty }.joined(
            separator: ", ")
        return ("\(finding.what.rawValue)  " + (place.isEmpty ? "" : "\(place): ") + finding.message)
            .printable
    }

    static func object(_ event: VerifyMonitor.Event) -> JSONObject {
        switch event {
        case .found(let finding): object(finding, isLeft: false)
        case .remains(let finding): object(finding, isLeft: true)
        case .sync(let event): RunReport.object(event)
        }
    }

    private static func object(_ finding: Finding, isLeft: Bool) -> JSONObject {
        JSONObject(known: [
            "type": "finding", "what": .string(finding.what.rawValue), "message": .string(finding.message),
            "kind": finding.kind.map(JSONValue.string), "id": finding.id.map(JSONValue.string),
            "path": finding.path.map(JSONValue.string), "url": finding.url.map(JSONValue.string),
            "remains": isLeft ? true : nil,
        ])
    }
}
