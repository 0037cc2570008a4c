import Catalogue
import MirrorStore
import MirrorSync

/// What restoring did, as a person reads it.
struct RestoreText {
    let lines: [String]
    let json: JSONObject
    /// Whether one object was named, and nothing could be done for it.
    let isNotFound: Bool
    /// Objects that are told one by one.
    static let most = 50

    init(_ outcome: Restore.Outcome, isUndo: Bool, isNamed: Bool) {
        let report = outcome.report, summary = outcome.summary
        var counts: (back: [String], changed: [String], gone: [String]) = ([], [], [])
        for kind in Kinds.standard.all {
            guard let count = summary.objects[kind.name] else { continue }
            func words(_ number: Int) -> [String] { number > 0 ? [Wording.count(number, kind.name)] : [] }
            counts.back += words(count.created)
            counts.changed += words(count.updated)
            counts.gone += words(count.deleted)
        }
        let isNothing = counts.back.isEmpty && counts.changed.isEmpty && counts.gone.isEmpty
        var lines: [String] = []
        let from = report.source.map { " from run \($0)" } ?? ""
        if !counts.back.isEmpty { lines.append("Brought back\(from): \(Wording.list(counts.back)).") }
        if !counts.gone.isEmpty { lines.append("Removed again: \(Wording.list(counts.gone)).") }
        if !counts.changed.isEmpty {
            lines.append(
                isUndo
                    ? "As the server last said again: \(Wording.list(counts.changed))."
                    : "Put back as before run \(report.source.map { "\($0)" } ?? ""): \(Wording.list(counts.changed)), until the next sync."
            )
        }
        if !isUndo, !counts.back.isEmpty {
            lines.append("Kept until the server lists them again, or: mirror restore --undo")
        }
        if isNothing { lines.append(Self.nothing(report, isUndo: isUndo)) }
        for problem in summary.problems {
            lines.append(
                "  \(problem.kind ?? "") \((problem.id ?? "").printable): \(problem.message.printable)")
        }
        self.lines = lines
        isNotFound = isNothing && isNamed && report.present == 0
        var json = summary.json
        json["source"] = report.source.map { .integer(Int($0)) } ?? .null
        json["run"] = .integer(Int(outcome.run))
        json["present"] = .integer(report.present)
        json["too_old"] = .integer(report.tooOld)
        self.json = json
    }

    private static func nothing(_ report: RestoreReport, isUndo: Bool) -> String {
        if isUndo { return "Nothing that was restored is kept." }
        if report.tooOld > 0 {
            return "That is more than \(Restore.days) days ago: files may be gone, so nothing was restored."
        }
        if report.present > 0 { return "Everything of it is here already." }
        if let source = report.source {
            return "Run \(source) did nothing of the kind that could be taken back."
        }
        return "No run of the last \(Restore.days) days deleted anything of the kind."
    }

    static func item(_ change: CatalogueChange, isUndo: Bool) -> JSONObject {
        let action =
            switch change.action {
            case .create: "restored"
            case .update: isUndo ? "undone" : "put_back"
            case .delete: "removed"
            }
        return [
            "type": "item", "kind": .string(change.object.kind.name), "id": .string(change.object.id),
            "action": .string(action),
        ]
    }
}
