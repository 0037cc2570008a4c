import Catalogue
import MirrorStore
import MirrorSync

/// The text of what a restore did.
struct RestoreText {
    let lines: [String]
    let json: JSONObject
    /// Whether one object was named, and it could not be restored.
    let isNotFound: Bool
    /// The largest number of objects that are listed one by one.
    static let maximumListed = 50

    init(_ outcome: Restore.Outcome, isUndo: Bool, isNamed: Bool) {
        let report = outcome.report, summary = outcome.summary
        func words(_ count: (SyncSummary.Count) -> Int) -> String {
            Wording.list(
                Kinds.standard.all.compactMap { kind in
                    let number = summary.objects[kind.name].map(count) ?? 0
                    return number > 0 ? Wording.count(number, kind) : nil
                })
        }
        let back = words(\.created), changed = words(\.updated), gone = words(\.deleted)
        let isNothing = back.isEmpty && changed.isEmpty && gone.isEmpty
        var lines: [String] = []
        let from = report.source.map { " from run \($0)" } ?? ""
        if !back.isEmpty { lines.append("Restored\(from): \(back).") }
        if !gone.isEmpty { lines.append("Removed again: \(gone).") }
        if !changed.isEmpty {
            lines.append(
                isUndo
                    ? "Reset to the server's last version: \(changed)."
                    : "Reset to the version before run \(report.source.map { "\($0)" } ?? ""), until the next sync: \(changed)."
            )
        }
        if !isUndo, !back.isEmpty {
            lines.append(
                "They are kept until the server lists them again. Undo this with: mirror restore --undo")
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
        if isUndo { return "No restored object is kept, so there is nothing to undo." }
        if report.tooOld > 0 {
            return
                "The deletion is more than \(Restore.days) days old. Its files may have been deleted, so nothing was restored."
        }
        if report.present > 0 { return "Everything to restore is already stored." }
        if let source = report.source {
            return "Run \(source) changed nothing that could be restored."
        }
        return "No run of the last \(Restore.days) days deleted anything that could be restored."
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
