import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// What is known of a mirror as a whole.
struct MirrorStatus {
    let name: String
    let place: String
    var origin: String?
    /// Whether it was made from a catalogue's files.
    var isCatalogue = false
    /// Whether the last sync or import that came to a result left something out, or none has completed.
    var isIncomplete = false
    /// When the last run that was complete ended.
    var lastGood: String?
    var lastRun: CatalogueStore.RunRecord?
    var counts: [Kind: Int] = [:]
    var files = 0
    var bytes: Int64 = 0
    /// Pictures and documents that are missing because the server doesn't have them.
    var unavailable = UnavailableFiles()
    var ghosts = 0
    /// Objects of which a newer version did not come, or could not be taken.
    var stale = 0
    /// Restored objects that the server has not listed since.
    var kept: [Kind: Int] = [:]
    /// Albums with local edits: those that wait to be pushed, and those that the server refused.
    var pending = (waiting: 0, refused: 0)
    /// What the server refused for good, and why.
    var refusals: [RefusedEdit] = []
    var notes = 0
    /// What went wrong in the last run, in order; perhaps only the first of it.
    var problems: [LoggedProblem] = []
    var loops: [LoopRecord] = []
    /// What was counted of this mirror since it was made.
    var tally: [String: Int] = [:]

    /// Problems that are told unless all are asked for.
    static let fewProblems = 3

    init(name: String, place: String) {
        self.name = name
        self.place = place
    }

    /// - Parameter withAllProblems: whether all problems of the last run are read, not only the first few.
    init(_ folder: MirrorFolder, withAllProblems: Bool = false) throws {
        self.init(name: folder.name, place: folder.path)
        let store = try folder.open(readOnly: true)
        do {
            origin = try store.origin
            isCatalogue = try store.isCatalogue
            lastGood = try store.lastRun(outcome: SyncSummary.Outcome.complete.rawValue)
            lastRun = try store.lastUpdate()
            isIncomplete = try store.isIncomplete()
            counts = try store.counts()
            let totals = try store.totals()
            (files, bytes, ghosts, stale) = (totals.files, totals.bytes, totals.ghosts, totals.marked)
            unavailable = try store.unavailableFiles()
            kept = try store.keptCounts()
            pending = try store.pendingEdits()
            refusals = try store.refusedEdits()
            notes = try store.noteCount()
            loops = try store.loops()
            tally = try store.tally()
            if let lastRun, lastRun.errors > 0 {
                problems = try store.problems(
                    ofRun: lastRun.run, limit: withAllProblems ? nil : Self.fewProblems)
            }
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    func lines(now: Date) -> [String] {
        let noOrigin = isCatalogue ? "a catalogue's files (mirror import)" : "none yet"
        var facts = [("origin", origin?.printable ?? noOrigin)]
        facts.append(("up to date", Self.ago(lastCurrent(now), now: now) ?? "never yet"))
        if let lastRun, lastRun.outcome != SyncSummary.Outcome.complete.rawValue {
            let how = lastRun.outcome ?? "still running, or stopped by force"
            facts.append(("last run", "\(how), \(Self.ago(lastRun.startedAt, now: now) ?? "")"))
        }
        let objects = Self.words(counts)
        facts.append(("objects", objects.isEmpty ? "none" : Wording.list(objects)))
        facts.append(("files", "\(Wording.count(files)), \(Wording.bytes(bytes))"))
        if !unavailable.isEmpty {
            facts.append(("unavailable", "\(UnavailableText.words(unavailable)) (not on the server)"))
        }
        if ghosts > 0 { facts.append(("ghosts", "\(Wording.count(ghosts)) (referred to, not stored)")) }
        if stale > 0 { facts.append(("stale", "\(Wording.count(stale)) (a newer version did not come yet)")) }
        if !kept.isEmpty {
            facts.append(("kept", "\(Wording.list(Self.words(kept))) (restored, not listed by the server)"))
        }
        if pending.waiting > 0 {
            facts.append(
                ("pending", "edits of \(Wording.count(pending.waiting, "album")), for the next sync"))
        }
        if pending.refused > 0 {
            facts.append(("refused", "edits of \(Wording.count(pending.refused, "album")), by the server"))
            facts += refusals.prefix(Self.fewProblems).map { ("", Self.line($0)) }
            if refusals.count > Self.fewProblems { facts.append(("", "and more: mirror album list")) }
        }
        if notes > 0 { facts.append(("notes", Wording.count(notes))) }
        for loop in loops { facts.append(("loop", Self.line(loop, now: now))) }
        if let errors = lastRun?.errors, errors > 0 {
            facts.append(("open errors", "\(Wording.count(errors)) in the last run"))
            facts += problems.map { ("", Self.line($0)) }
            if errors > problems.count { facts.append(("", "and more: mirror status \(name) --errors")) }
        }
        facts.append(("folder", place.printable))
        return [name] + facts.map { "  \($0.0.padded(to: 12))\($0.1)" }
    }

    private static func words(_ counts: [Kind: Int]) -> [String] {
        Kinds.standard.all.compactMap { kind in
            guard let count = counts[kind], count > 0, kind != .partner, kind != .user else { return nil }
            return Wording.count(count, kind.name)
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
        var words = ["\(loop.id), \(LoopText.word(loop.state))".printable]
        if let last = ago(loop.lastAt, now: now) { words.append("went well \(last)") }
        if loop.failures > 0 { words.append("\(Wording.count(loop.failures, "failure")) in a row") }
        if let message = loop.message { words.append(message.printable) }
        if let next = date(loop.nextAt), next > now {
            words.append("next in \(Wording.duration(next.timeIntervalSince(now)))")
        }
        return words.joined(separator: "; ")
    }

    /// When the mirror was last known to hold what the partner holds: the end of a complete sync, or the last time that the
    /// partner's feed was followed to its end. Following it brings nothing that the last whole sync left out.
    ///
    /// A time that lies ahead was noted by a clock that was wrong: it counts only where there is no other.
    func lastCurrent(_ now: Date) -> String? {
        let isFollowed = !isIncomplete
        let followed = loops.filter { $0.id == LoopRecord.coreID && $0.failures == 0 && isFollowed }
            .compactMap(\.lastAt)
        let times = followed + [lastGood].compactMap(\.self)
        return times.filter { !Self.isAhead($0, of: now) }.max() ?? times.max()
    }

    /// Whether a clock that was ahead noted a time. A minute is let pass.
    static func isAhead(_ timestamp: String?, of now: Date) -> Bool {
        date(timestamp).map { $0.timeIntervalSince(now) > 60 } ?? false
    }

    private static func ago(_ timestamp: String?, now: Date) -> String? {
        guard let timestamp, let date = date(timestamp) else { return nil }
        return
            "\(Wording.age(now.timeIntervalSince(date))) (\(timestamp.prefix(19).replacing("T", with: " ")) UTC)"
    }

    /// A time as the store writes it.
    static func date(_ timestamp: String?) -> Date? {
        timestamp.flatMap { try? Date($0, strategy: .iso8601WithMilliseconds) }
    }

    /// Seconds since ``lastCurrent(_:)``; `nil` if the mirror never was, or a clock that was wrong noted when.
    func age(_ now: Date) -> Int? {
        let last = lastCurrent(now)
        guard !Self.isAhead(last, of: now) else { return nil }
        return Self.date(last).map { max(0, Int(now.timeIntervalSince($0))) }
    }

    func json(now: Date) -> JSONObject {
        var object: JSONObject = [
            "type": "mirror", "partner": .string(name), "folder": .string(place),
            "files": .integer(files), "bytes": .integer(Int(bytes)), "ghosts": .integer(ghosts),
            "stale": .integer(stale), "unavailable": unavailable.json,
            "objects": .object(JSONObject(counts.map { ($0.key.name, .integer($0.value)) })),
            "open_errors": .integer(lastRun?.errors ?? 0), "origin": origin.map(JSONValue.string) ?? .null,
            "catalogue": .bool(isCatalogue), "incomplete": .bool(isIncomplete),
            "last_good": lastGood.map(JSONValue.string) ?? .null,
            "age": age(now).map(JSONValue.integer) ?? .null,
            "kept": .object(JSONObject(kept.map { ($0.key.name, .integer($0.value)) })),
            "pending": .integer(pending.waiting), "refused": .integer(pending.refused),
            "refusals": .array(refusals.map(Self.object)), "notes": .integer(notes),
            "loops": .array(loops.map(Self.object)),
            "tally": .object(
                JSONObject(tally.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
        ]
        if let lastRun {
            object["last_run"] = .object([
                "run": .integer(Int(lastRun.run)), "command": .string(lastRun.command),
                "started_at": .string(lastRun.startedAt),
                "ended_at": lastRun.endedAt.map(JSONValue.string) ?? .null,
                "outcome": lastRun.outcome.map(JSONValue.string) ?? .null,
            ])
        }
        return object
    }
}

extension MirrorStatus {
    private static func object(_ edit: RefusedEdit) -> JSONValue {
        var object: JSONObject = ["album": .string(edit.album), "reason": .string(edit.reason)]
        object["name"] = edit.name.map(JSONValue.string)
        object["artwork"] = edit.artwork.map(JSONValue.string)
        return .object(object)
    }

    private static func object(_ loop: LoopRecord) -> JSONValue {
        .object([
            "id": .string(loop.id), "kind": .string(loop.kind), "state": .string(loop.state),
            "failures": .integer(loop.failures), "last_at": loop.lastAt.map(JSONValue.string) ?? .null,
            "message": loop.message.map(JSONValue.string) ?? .null,
            "next_at": loop.nextAt.map(JSONValue.string) ?? .null,
        ])
    }

    /// The problems that were read, one object each.
    var problemLines: [JSONObject] {
        problems.map { problem in
            var object: JSONObject = [
                "type": "problem", "partner": .string(name), "what": .string(problem.what),
                "message": .string(problem.message),
            ]
            object["kind"] = problem.kind.map(JSONValue.string)
            object["id"] = problem.id.map(JSONValue.string)
            return object
        }
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    /// The timestamps that the store writes.
    static var iso8601WithMilliseconds: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
