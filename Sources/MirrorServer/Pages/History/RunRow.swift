import Catalogue
import MirrorStore

/// A run in the table of runs: its outcome in a word, its numbers, and notes.
struct RunRow {
    let run: CatalogueStore.RunRecord
    /// The numbers of changes that the face sees; `nil` if they are not counted yet.
    let tally: ChangeTally?
    let face: Face
    let now: Timestamp

    private var details: RunDetails { run.details }
    private var moments: MomentText { MomentText(now: now) }

    /// `Complete`, with its class in the style sheet.
    var outcome: (text: String, css: String) {
        switch run.outcome {
        case "complete": ("Complete", "good-text")
        case "partial": ("Not complete", "warn-text")
        case "guarded": ("Waiting for a decision", "bad-text")
        case "failed": details.continuesAt == nil ? ("Failed", "bad-text") : ("Waiting", "warn-text")
        case "cancelled": ("Stopped", "warn-text")
        case "killed": ("Stopped without warning", "warn-text")
        case nil: ("Under way, or stopped", "")
        default: ("Ended", "")
        }
    }

    /// What kind of run it was; `nil` for a sync of everything.
    var purpose: String? {
        switch run.command {
        case "sync", "refresh":
            let kinds = run.only.compactMap { Kinds.standard[$0]?.plural }
            if !kinds.isEmpty { return "Only \(kinds.listed)" }
            return run.command == "refresh" ? "Changes that the server reported" : nil
        case "import": return "Import"
        case "events": return "Events of the server"
        case "restore": return "Restoration"
        default: return nil
        }
    }

    /// The requests, and what a reader has to know of the outcome.
    var notes: String {
        var notes = [purpose].compactMap(\.self)
        if let requests = details.requests, requests > 0 {
            notes.append("\(CountText(requests).digits) \(requests == 1 ? "request" : "requests")")
        }
        if face.seesAll {
            // The files of hidden artworks count, too.
            for (name, noun) in [("image", "picture"), ("document", "document")] {
                guard let count = details.files[name] else { continue }
                notes.append("\(CountText(count).digits) \(count == 1 ? noun : noun + "s")")
            }
            if run.errors > 0 {
                notes.append("\(CountText(run.errors).digits) \(run.errors == 1 ? "problem" : "problems")")
            }
            if let error = details.error, run.outcome == "failed" {
                notes.append(LongText.cut(error, to: 200).text)
            }
        }
        if let time = details.continuesAt, run.outcome != "complete" {
            notes.append("no further requests before \(moments.moment(time))")
        }
        let text = notes.enumerated().map { $0 == 0 ? $1.prefix(1).uppercased() + $1.dropFirst() : $1 }
            .joined(separator: ", ")
        let isStopped = ["failed", "guarded"].contains(run.outcome) && tally?.deleted == 0
        guard isStopped else { return text }
        let end = text.isEmpty ? "" : text.hasSuffix(".") ? " " : ". "
        return text + end + "Nothing was removed."
    }

    func shown(_ context: PageContext) -> Shown {
        func number(_ count: KeyPath<ChangeTally, Int>) -> Shown.Value {
            .text(tally.map { CountText($0[keyPath: count]).digits })
        }
        return [
            "run": .string("\(run.run)"), "href": .string(context.href(.run("\(run.run)"))),
            "when": .string(moments.brief(run.startedAt)), "datetime": .string(run.startedAt),
            "outcome": .string(outcome.text), "css": .text(outcome.css), "new": number(\.created),
            "changed": number(\.updated), "gone": number(\.deleted), "notes": .text(notes),
        ]
    }

    var json: JSONObject {
        var json = JSONObject([
            ("run", .number(JSONNumber(Int(run.run)))), ("command", .string(run.command)),
            ("started_at", .string(run.startedAt)), ("ended_at", run.endedAt.map(JSONValue.string) ?? .null),
            ("outcome", run.outcome.map(JSONValue.string) ?? .null),
            ("changes", tally.map { .object($0.json) } ?? .null),
        ])
        json["requests"] = details.requests.map { .number(JSONNumber($0)) }
        if !run.only.isEmpty { json["only"] = .array(run.only.map(JSONValue.string)) }
        return json
    }

    /// The rows of runs, with their numbers.
    static func rows(_ runs: [CatalogueStore.RunRecord], _ context: PageContext) throws -> [RunRow] {
        let numbers = runs.map(\.run), face = context.face
        let tallies = try context.store.tallies(ofRuns: numbers, to: face)
        let counted = try context.store.countedRuns(numbers)
        return runs.map { run in
            let sum = (tallies[run.run] ?? [:]).values.reduce(ChangeTally(), +)
            return RunRow(
                run: run, tally: counted.contains(run.run) ? sum : nil, face: face, now: context.now)
        }
    }
}

extension ChangeTally {
    var json: JSONObject {
        JSONObject([
            ("created", .number(JSONNumber(created))), ("updated", .number(JSONNumber(updated))),
            ("deleted", .number(JSONNumber(deleted))),
        ])
    }
}
