import Catalogue
import Foundation
import MirrorStore
import MirrorSync
import PeriodicLoops

/// The text and JSON of `mirror status`.
extension MirrorStatus {
    func lines(now: Date) -> [String] {
        let noOrigin = isCatalogue ? "imported catalogue (mirror import)" : "none yet"
        let objects = Self.words(counts), errors = lastRun?.errors ?? 0
        var facts: [(String, String)] = []
        func add(_ name: String, _ fact: String, if condition: Bool = true) {
            if condition { facts.append((name, fact)) }
        }
        add("origin", origin?.printable ?? noOrigin)
        if let source { facts += source.facts(mirror: name.printable) }
        add("up to date", Self.ago(lastCurrent(now), now: now) ?? "never")
        if let lastRun, lastRun.outcome != SyncSummary.Outcome.complete.rawValue || !lastRun.only.isEmpty {
            let outcome = lastRun.outcome ?? "still running, or killed"
            let only = lastRun.only.isEmpty ? "" : ", \(SummaryText.kinds(lastRun.only)) only"
            add("last run", "\(outcome)\(only), \(Self.ago(lastRun.startedAt, now: now) ?? "")")
        }
        if let undecidedRun, undecidedRun.run != lastRun?.run {
            let time = Self.ago(undecidedRun.startedAt, now: now) ?? undecidedRun.startedAt.printable
            add(
                "guarded",
                "run \(undecidedRun.run), \(time): it would have removed too much, so it removed nothing. See what: mirror sync \(name.printable) --dry-run"
            )
        }
        add("objects", objects.isEmpty ? "none" : Wording.list(objects))
        add("files", "\(Wording.count(files)), \(Wording.bytes(bytes))")
        add(
            "unavailable", "\(UnavailableText.words(unavailable)) (not on the server)",
            if: !unavailable.isEmpty)
        add("ghosts", "\(Wording.count(ghosts)) (referred to, not stored)", if: ghosts > 0)
        add("stale", "\(Wording.count(stale)) (a newer version could not be fetched yet)", if: stale > 0)
        let kept = Wording.list(Self.words(kept))
        add("kept", "\(kept) (restored, not listed by the server since)", if: !self.kept.isEmpty)
        let (waiting, refused) = (pending.waiting, pending.refused)
        add("pending", "edits of \(Wording.count(waiting, .album)), pushed by the next sync", if: waiting > 0)
        if refused > 0 {
            add("refused", "edits of \(Wording.count(refused, .album)), by the server")
            facts += refusals.prefix(Self.fewProblems).map { ("", Self.line($0)) }
            add("", "more: mirror album list", if: refusals.count > Self.fewProblems)
        }
        add("notes", Wording.count(notes), if: notes > 0)
        if let pausedAt {
            let since = Self.ago(pausedAt, now: now) ?? pausedAt.printable
            add("paused", "\(since). End the pause with: mirror resume \(name)")
        }
        facts += loops.map { ("loop", Self.line($0, now: now)) }
        if errors > 0 {
            add("open errors", "\(Wording.count(errors)) in the last run")
            facts += problems.map { ("", Self.line($0)) }
            add("", "more: mirror status \(name) --errors", if: errors > problems.count)
        }
        add("folder", place.printable)
        return [name] + facts.map { "  \($0.0.padded(to: 12))\($0.1)" }
    }

    private static func words(_ counts: [Kind: Int]) -> [String] {
        Kinds.standard.all.compactMap { kind in
            guard let count = counts[kind], count > 0, kind != .partner, kind != .user else { return nil }
            return Wording.count(count, kind)
        }
    }

    private static func line(_ problem: LoggedProblem) -> String {
        let subject = [problem.kind, problem.id].compactMap(\.self).joined(separator: " ").printable
        return subject.isEmpty ? problem.message.printable : "\(subject): \(problem.message.printable)"
    }

    private static func line(_ edit: RefusedEdit) -> String {
        let name = edit.name.map { " \($0.printable.truncated(to: 40))" } ?? ""
        let artwork = edit.artwork.map { ", artwork \($0.printable)" } ?? ""
        return "album \(edit.album.printable)\(name)\(artwork): \(edit.reason.printable)"
    }

    private static func line(_ loop: LoopRecord, now: Date) -> String {
        var words = ["\(loop.id), \(loop.word)".printable]
        if let last = ago(loop.lastAt, now: now) { words.append("last success \(last)") }
        if loop.failures > 0 { words.append("\(Wording.count(loop.failures, "consecutive failure"))") }
        if let message = loop.message { words.append(message.printable) }
        if let next = MirrorAge.date(loop.nextAt), next > now {
            words.append("next in \(Wording.duration(next.timeIntervalSince(now)))")
        }
        return words.joined(separator: "; ")
    }

    private static func ago(_ timestamp: String?, now: Date) -> String? {
        guard let timestamp, let date = MirrorAge.date(timestamp) else { return nil }
        return
            "\(Wording.age(now.timeIntervalSince(date))) (\(timestamp.prefix(19).replacing("T", with: " ")) UTC)"
    }

    func json(now: Date) -> JSONObject {
        JSONObject(known: [
            "type": "mirror", "partner": .string(name), "folder": .string(place),
            "files": .integer(files), "bytes": .integer(Int(bytes)), "ghosts": .integer(ghosts),
            "stale": .integer(stale), "unavailable": unavailable.json(with: source?.absent ?? [:]),
            "objects": .object(JSONObject(counts.map { ($0.key.name, .integer($0.value)) })),
            "open_errors": .integer(lastRun?.errors ?? 0), "origin": .text(origin),
            "catalogue": .bool(isCatalogue), "incomplete": .bool(isIncomplete),
            "last_good": .text(lastGood),
            "age": age(now).map(JSONValue.integer) ?? .null,
            "kept": .object(JSONObject(kept.map { ($0.key.name, .integer($0.value)) })),
            "pending": .integer(pending.waiting), "refused": .integer(pending.refused),
            "refusals": .array(refusals.map { .object($0.json) }), "notes": .integer(notes),
            "paused": .text(pausedAt),
            "loops": .array(loops.map { .object($0.statusJSON) }),
            "tally": .object(
                JSONObject(tally.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
            "source": source.map { .object($0.json) },
            "concurrency": lastRun?.concurrency.map(JSONValue.integer),
            "last_run": lastRun.map { .object($0.json) },
            "guarded_run": undecidedRun.map { .object($0.json) },
        ])
    }

    /// The problems for `--json`, one object each.
    var problemLines: [JSONObject] {
        problems.map {
            JSONObject(known: [
                "type": "problem", "partner": .string(name), "what": .string($0.what),
                "message": .string($0.message), "kind": $0.kind.map(JSONValue.string),
                "id": $0.id.map(JSONValue.string),
            ])
        }
    }
}

extension RefusedEdit {
    fileprivate var json: JSONObject {
        JSONObject(known: [
            "album": .string(album), "reason": .string(reason), "name": name.map(JSONValue.string),
            "artwork": artwork.map(JSONValue.string),
        ])
    }
}

/// The text and JSON of a watch's loop.
extension LoopRecord {
    /// All states of a stored loop, in order of severity.
    static let states =
        [enabled] + LoopHealth.State.allCases.filter { $0 != .well }.map(\.rawValue) + [guarded, over]

    /// The state as text.
    var word: String {
        switch state {
        case Self.enabled: "working"
        case LoopHealth.State.backingOff.rawValue: "failing, retried at growing intervals"
        case LoopHealth.State.resetting.rawValue: "requesting everything again"
        case LoopHealth.State.quarantined.rawValue: "failing, retried once a day"
        case Self.guarded: "stopped by the delete guard (run mirror sync)"
        case Self.over: "ended"
        default: state
        }
    }

    var line: String {
        "\(id.printable): \(word.printable)" + (message.map { ": \($0.printable)" } ?? "")
    }

    /// The object that a watch prints.
    var json: JSONObject {
        [
            "type": "loop", "id": .string(id), "kind": .string(kind), "state": .string(state),
            "failures": .integer(failures), "message": .text(message),
            "next_at": .text(nextAt),
        ]
    }

    /// The object within a status.
    var statusJSON: JSONObject {
        var object = json
        object["type"] = nil
        object["last_at"] = .text(lastAt)
        return object
    }
}
