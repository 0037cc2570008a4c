import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// A run as a person reads it, in a line.
struct RunText {
    let run: CatalogueStore.RunRecord
    let now: Date

    /// `run 12  sync  complete  2026-11-21 12:52:19 UTC (3 h ago)  2 new, 1 gone`
    var line: String {
        let changes = changes
        return "\(heading)\(changes.isEmpty ? "" : "  \(changes.joined(separator: ", "))")"
    }

    var heading: String {
        let outcome = run.outcome ?? "still running, or stopped by force"
        let errors = run.errors > 0 ? "  \(Wording.count(run.errors, "problem"))" : ""
        return
            "run \(run.run)  \(run.command.printable)  \(outcome.printable)  \(Wording.moment(run.startedAt, now: now))\(errors)"
    }

    /// What the run's own summary says that it changed.
    private var changes: [String] {
        guard let text = run.summary, let summary = try? JSONValue(parsing: text),
            let objects = summary.objectValue?["objects"]?.objectValue
        else { return [] }
        let kinds = objects.members.filter { Kinds.standard[$0.key] != nil }.map(\.value)
        return [("created", "new"), ("updated", "changed"), ("deleted", "gone")].compactMap { key, word in
            let sum = kinds.reduce(0) { $0 + ($1.objectValue?[key]?.numberValue?.intValue ?? 0) }
            return sum > 0 ? "\(Wording.count(sum)) \(word)" : nil
        }
    }

    var json: JSONObject {
        var object: JSONObject = [
            "type": "run", "run": .integer(Int(run.run)), "command": .string(run.command),
            "started_at": .string(run.startedAt), "problems": .integer(run.errors),
            "ended_at": run.endedAt.map(JSONValue.string) ?? .null,
            "outcome": run.outcome.map(JSONValue.string) ?? .null,
        ]
        if let text = run.summary, let summary = try? JSONValue(parsing: text) {
            object["objects"] = summary.objectValue?["objects"]
        }
        return object
    }
}

extension Wording {
    /// `2026-11-21 12:52:19 UTC (3 h ago)`, from a time as the store writes it.
    static func moment(_ timestamp: String, now: Date) -> String {
        let short = "\(timestamp.printable.prefix(19).replacing("T", with: " ")) UTC"
        guard let date = try? Date(timestamp, strategy: .iso8601WithMilliseconds) else { return short }
        return "\(short) (\(age(now.timeIntervalSince(date))))"
    }
}
