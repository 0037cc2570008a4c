import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Reports a verification: findings as they are found, then the summary; decides the exit code.
struct VerifyReport: Sendable {
    let output: LineOutput
    let screen: Screen
    let json: Bool
    let isQuiet: Bool
    let folder: MirrorFolder

    /// Prints what is found, as it is found.
    var monitor: VerifyMonitor {
        VerifyMonitor { [self] event in
            if json {
                output.json(Self.object(event))
            } else if let line = Self.line(event), !isQuiet {
                // On a terminal the block makes way; it is drawn again at the next look.
                screen.clear()
                output.line(line)
            }
        }
    }

    /// Prints the summary.
    ///
    /// - Throws: `ExitCode` unless the mirror is whole.
    func finish(_ summary: VerifySummary) throws {
        if json {
            output.json(summary.json)
        } else if !isQuiet {
            for line in VerifyText(summary, place: folder.path).lines { output.line(line) }
        }
        output.flush()
        if let sentence = Self.sentence(summary) { screen.line("mirror: \(sentence.printable)") }
        let status = Self.status(summary)
        guard status == .complete else { throw ExitCode(status.rawValue) }
    }

    static func status(_ summary: VerifySummary) -> ExitStatus {
        switch summary.outcome {
        case .complete, .repaired: .complete
        case .findings: .failed
        case .cancelled: .interrupted
        case .failed: summary.cause.map(ExitStatus.init(error:)) ?? .failed
        }
    }

    /// What is said on standard error of one that didn't end as it should.
    static func sentence(_ summary: VerifySummary) -> String? {
        switch summary.outcome {
        case .complete, .repaired: nil
        case .cancelled: Sentence.known(CancellationError())
        case .failed: summary.failure ?? "The mirror could not be verified."
        case .findings:
            if let failure = summary.failure {
                failure
            } else if let sync = summary.sync, sync.outcome == .guarded {
                Sentence.guarded(sync)
            } else if summary.isRepair {
                "\(Wording.count(summary.remainingFindings, "thing")) could not be repaired."
                    + (summary.remaining[.damaged] == nil
                        ? ""
                        : " Damaged files are kept until the server has better copies. Delete those in media/damaged that you do not need.")
            } else {
                advice(summary)
            }
        }
    }

    private static func advice(_ summary: VerifySummary) -> String {
        let isBehind = summary.found.keys.allSatisfy(\.isRemote)
        return isBehind
            ? "The mirror differs from its server. Fetch what differs with: mirror verify \(summary.partner) --remote --repair"
            : "\(Wording.count(summary.findings, "thing")) found wrong. Mend what can be with: mirror verify \(summary.partner) --repair"
    }

    static func line(_ event: VerifyMonitor.Event) -> String? {
        switch event {
        case .found(let finding): text(finding)
        case .remains(let finding): "still: \(text(finding))"
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
        var object: JSONObject = [
            "type": "finding", "what": .string(finding.what.rawValue), "message": .string(finding.message),
        ]
        object["kind"] = finding.kind.map(JSONValue.string)
        object["id"] = finding.id.map(JSONValue.string)
        object["path"] = finding.path.map(JSONValue.string)
        object["url"] = finding.url.map(JSONValue.string)
        if isLeft { object["remains"] = .bool(true) }
        return object
    }
}
