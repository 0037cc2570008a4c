import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// The text of a run, in one line.
struct RunText {
    let run: CatalogueStore.RunRecord
    let now: Date

    /// `run 12  sync  complete  2026-11-21 12:52:19 UTC (3 h ago)  2 new, 1 gone`
    var line: String {
        let changes = changes
        return "\(heading)\(changes.isEmpty ? "" : "  \(changes.joined(separator: ", "))")"
    }

    var heading: String {
        let outcome = run.outcome ?? "still running, or killed"
        let only = run.only.isEmpty ? "" : " (\(SummaryText.kinds(run.only)) only)"
        let errors = run.errors > 0 ? "  \(Wording.count(run.errors, "problem"))" : ""
        return
            "run \(run.run)  \(run.command.printable)\(only)  \(outcome.printable)  \(Wording.moment(run.startedAt, now: now))\(errors)"
    }

    /// The changes in the run's summary.
    private var changes: [String] {
        guard let objects = objects?.objectValue else { return [] }
        let kinds = objects.members.filter { Kinds.standard[$0.key] != nil }.map(\.value)
        func sum(_ key: String) -> Int {
            kinds.reduce(0) { $0 + ($1.objectValue?[key]?.numberValue?.intValue ?? 0) }
        }
        return Wording.changes(created: sum("created"), updated: sum("updated"), deleted: sum("deleted"))
    }

    var json: JSONObject {
        var object = run.json
        object["type"] = "run"
        object["problems"] = .integer(run.errors)
        object["objects"] = objects
        return object
    }

    /// The counts by kind in the run's summary.
    private var objects: JSONValue? {
        run.summary.flatMap { try? JSONValue(parsing: $0) }?.objectValue?["objects"]
    }
}

extension CatalogueStore.RunRecord {
    var json: JSONObject {
        var object: JSONObject = [
            "run": .integer(Int(run)), "command": .string(command), "started_at": .string(startedAt),
            "ended_at": .text(endedAt),
            "outcome": .text(outcome),
        ]
        if !only.isEmpty { object["only"] = .array(only.map(JSONValue.string)) }
        return object
    }
}
