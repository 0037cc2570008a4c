import Catalogue
import MirrorStore

/// A run: its summary, its numbers by kind, its problems, and its changes.
struct RunPage: WebPage {
    static let template = "history"

    private let row: RunRow
    private let tallies: [(kind: Kind, tally: ChangeTally)]
    private let problems: [LoggedProblem]
    private let objections: [RunDetails.Objection]
    private let facts: [Fact]
    private let changes: ChangeList
    private let ownHref: String
    private let heading: String
    private let isSnapshot: Bool

    private static let mostProblems = 100

    /// `nil` if the log has no run with this number, or no longer has it.
    init?(_ number: String, _ context: PageContext) throws {
        guard let number = ChangeList.position(number), let run = try context.store.loggedRun(number),
            let row = try RunRow.rows([run], context).first
        else { return nil }
        self.row = row
        let found = try context.store.tallies(ofRuns: [number], to: context.face)[number] ?? [:]
        tallies =
            row.tally == nil
            ? []
            : context.store.kinds.all.compactMap { kind in found[kind].map { (kind, $0) } }
                .filter { $0.tally != ChangeTally() }
        // Messages may name hidden objects, addresses and paths.
        problems =
            context.face.seesAll && run.errors > 0
            ? try context.store.problems(ofRun: number, limit: Self.mostProblems) : []
        // Their numbers include hidden objects.
        objections = context.face.seesAll ? run.details.objections : []
        facts = Self.facts(row, context)
        changes = try ChangeList(.run(number), .run("\(number)"), context)
        ownHref = context.href(.run("\(number)"))
        heading = "Run \(number)"
        isSnapshot = try context.store.hasLoadedSnapshot(number)
    }

    private static func facts(_ row: RunRow, _ context: PageContext) -> [Fact] {
        let run = row.run, details = run.details
        func time(_ label: String, _ text: String?) -> Fact? {
            text.map { Fact(label, [Fact.Part(text: MomentText(now: context.now).moment($0), datetime: $0)]) }
        }
        var facts = [
            row.purpose.map { Fact("What", $0) }, time("Began", run.startedAt), time("Ended", run.endedAt),
        ]
        .compactMap(\.self)
        if let requests = details.requests { facts.append(Fact("Requests", CountText(requests).digits)) }
        if let bytes = details.bytes, bytes > 0 {
            facts.append(Fact("Received", ByteText.text(Int64(bytes))))
        }
        if let seconds = details.seconds { facts.append(Fact("Took", "\(seconds.decimalText(places: 2)) s")) }
        if let time = time("No further requests before", details.continuesAt) { facts.append(time) }
        if context.face.seesAll, let error = details.error {
            facts.append(Fact("Because", LongText.cut(error, to: 500).text))
        }
        return facts
    }

    var title: String { heading }
    var description: String? { "\(sentence.strong) \(sentence.text)" }
    var canonical: String? { ownHref }
    var section: PageSection? { PageSection(entry: .history, isExact: false) }
    var neighbours: (previous: String?, next: String?) { (changes.later, changes.earlier) }

    /// The outcome in a sentence.
    private var sentence: PageFrame.Notice {
        let run = row.run, isGood = run.outcome == "complete"
        let text =
            switch run.outcome {
            case "complete" where run.command == "events":
                "It stored what the server’s events named, and did not compare everything."
            case "complete":
                run.only.isEmpty ? "" : "Only \(run.only.compactMap { Kinds.standard[$0]?.plural }.listed)."
            case "partial": "Something could not be fetched or stored. Everything else was."
            case "guarded": "It would have removed more than a sync removes by itself, so it removed nothing."
            case "failed", "cancelled", "killed": "It ended early. The next sync does what it left undone."
            case nil: "Its changes are listed when it, or the next one, has ended."
            default: ""
            }
        return PageFrame.Notice(
            severity: isGood ? .good : row.outcome.css == "bad-text" ? .bad : .plain,
            strong: row.outcome.text + ".", text: text)
    }

    var shown: Shown {
        [
            "heading": .string(heading), "isOverview": false, "headline": .one(sentence.shown),
            "advice": false,
            "figures": false, "plot": false, "runs": false, "behind": .flag(row.tally == nil),
            "snapshot": .text(isSnapshot ? "This run \(ChangeList.loadedSnapshot)" : nil), "loaded": false,
            "saysZone": false,
            "object": false,
            "facts": .one(["items": .many(facts.map(\.shown))]),
            "counts": .part(
                tallies.isEmpty
                    ? nil
                    : [
                        "items": .many(
                            tallies.map { kind, tally in
                                [
                                    "kind": .string(
                                        kind.plural.prefix(1).uppercased() + kind.plural.dropFirst()),
                                    "new": .string(CountText(tally.created).digits),
                                    "changed": .string(CountText(tally.updated).digits),
                                    "gone": .string(CountText(tally.deleted).digits),
                                ]
                            })
                    ]),
            "problems": .part(
                problems.isEmpty && objections.isEmpty
                    ? nil
                    : [
                        "count": .text(
                            row.face.seesAll && row.run.errors > 0 ? CountText(row.run.errors).digits : nil),
                        "items": .many(objections.map(Self.line) + problems.map(Self.line)),
                    ]),
            "changes": .one(changes.shown),
        ]
    }

    private static func line(_ objection: RunDetails.Objection) -> Shown {
        let text = """
            \(CountText(objection.deletions).digits) of \(CountText(objection.stored).digits) \(objection.noun) \
            would have been removed; the lists have \(CountText(objection.listed).digits).
            """
        return ["subject": false, "text": .string(text)]
    }

    private static func line(_ problem: LoggedProblem) -> Shown {
        let subject = [problem.kind, problem.id.map { LongText.cut($0, to: 100).text }].compactMap(\.self)
        return [
            "subject": .text(subject.joined(separator: " ")),
            "text": .string(LongText.cut(problem.message, to: 500).text),
        ]
    }

    var json: JSONObject {
        var json = row.json
        json["href"] = .string(ownHref)
        json["kinds"] = .object(JSONObject(tallies.map { ($0.kind.name, .object($0.tally.json)) }))
        json["problems"] = .array(
            problems.map { problem in
                var entry = JSONObject([
                    ("what", .string(problem.what)), ("message", .string(problem.message)),
                ])
                entry["kind"] = problem.kind.map(JSONValue.string)
                entry["id"] = problem.id.map(JSONValue.string)
                return .object(entry)
            })
        json["objections"] = .array(
            objections.map { objection in
                .object(
                    JSONObject([
                        ("kind", .string(objection.name)), ("stored", .number(JSONNumber(objection.stored))),
                        ("listed", .number(JSONNumber(objection.listed))),
                        ("deletions", .number(JSONNumber(objection.deletions))),
                    ]))
            })
        json["items"] = changes.json
        changes.addPaging(to: &json)
        return json
    }
}
