import Catalogue
import MirrorStore

/// The history of a mirror: whether it is fresh and complete, the last 100 days, its runs and the changes field by field.
struct HistoryPage: WebPage {
    static let template = "history"

    private let headline: PageFrame.Notice
    /// The strips that the headline doesn't replace: it says what the first one says.
    private let otherNotices: [PageFrame.Notice]
    /// What to do about a run that the delete guard stopped; only for staff.
    private let advice: [String]
    private let figures: HistoryFigures
    private let plot: HistoryPlot
    private let isBehind: Bool
    /// Whether no change is listed because the first run hasn't ended, so that a plot would say that nothing happened.
    private let isUnlisted: Bool
    private let runs: [RunRow]
    private let runsShown: [Shown]
    private let earlierRuns: String?
    private let laterRuns: String?
    private let changes: ChangeList
    /// Why the changes of a run that loaded a snapshot are missing from the list.
    private let snapshot: String?
    private let ownHref: String

    private static let mostRuns = 20
    /// The item of the query that holds the run before which the table begins.
    private static let before = "before"

    init(_ context: PageContext) throws {
        let store = context.store, now = context.now, face = context.face
        let state = try MirrorState(store, for: face, now: now)
        let facts = try store.historyFacts(for: face), lastComplete = try store.lastCompleteSync()
        headline = HistoryHeadline(state, facts, lastComplete: lastComplete, now: now).notice
        otherNotices = Array(state.notices.dropFirst())
        advice = face.seesAll ? try Self.advice(context) : []
        let counts = try store.shownCounts(for: face)
        let isUncounted = try counts.first?.kind != .artwork && EmptyList.isBeforeIndex(context)
        figures = HistoryFigures(
            lastComplete: lastComplete, counts: isUncounted ? nil : counts, facts: facts,
            ghostHref: { context.href(.object($0.kind, $0.id)) }, now: now)
        plot = try HistoryPlot(store, for: face, now: now)
        isBehind = try store.isShownHistoryBehind()
        isUnlisted = isBehind && lastComplete == nil
        let start = ChangeList.position(context.target[Self.before])
        let page = try store.runs(before: start, limit: Self.mostRuns)
        runs = try RunRow.rows(page.runs, context)
        runsShown = runs.map { $0.shown(context) }
        ownHref = context.href(.history)
        let last = page.hasMore ? page.runs.last?.run : nil
        earlierRuns = last.map { context.href(.history, [NameValue(Self.before, "\($0)")]) }
        laterRuns = try start.map { start -> String in
            let later = try store.laterRuns(than: start, limit: Self.mostRuns)
            return context.href(.history, later.map { [NameValue(Self.before, "\($0)")] } ?? [])
        }
        changes = try ChangeList(
            .all, .history, keeping: start.map { [NameValue(Self.before, "\($0)")] } ?? [], context)
        snapshot = try store.lastLoad()?.run.map { "Run \($0) \(ChangeList.loadedSnapshot)" }
    }

    /// The commands for a run that the delete guard stopped.
    private static func advice(_ context: PageContext) throws -> [String] {
        guard try context.store.undecidedRun() != nil else { return [] }
        let name = context.mirror.name
        return ["mirror sync \(name) --dry-run", "mirror sync \(name) --max-delete 50%"]
    }

    var title: String { "History" }
    var description: String? {
        ([headline] + otherNotices).map { "\($0.strong) \($0.text)" }.joined(separator: " ")
    }
    var canonical: String? { ownHref }
    var section: PageSection? { .history }
    var neighbours: (previous: String?, next: String?) { (changes.later, changes.earlier) }

    var shown: Shown {
        [
            "notices": .many(otherNotices.map(\.shown)),
            "heading": "History", "isOverview": true,
            "headline": .one(headline.shown),
            "advice": .part(
                advice.count == 2 ? ["look": .string(advice[0]), "allow": .string(advice[1])] : nil),
            "figures": .one(["items": figures.shown]), "plot": .part(isUnlisted ? nil : plot.shown),
            "behind": .flag(isBehind), "snapshot": .text(snapshot), "loaded": false,
            "saysZone": .flag(changes.hasTimes),
            "runs": .part(
                runs.isEmpty
                    ? nil
                    : [
                        "items": .many(runsShown),
                        "paging": .part(runsPaging),
                    ]),
            "facts": false, "counts": false, "problems": false, "object": false,
            // Some changes aren't listed yet, so the list isn't called empty.
            "changes": .one(isBehind ? changes.shown.with(["isEmpty": false]) : changes.shown),
        ]
    }

    /// The links to earlier and later runs; `nil` if all are on one page.
    private var runsPaging: Shown? {
        guard earlierRuns != nil || laterRuns != nil else { return nil }
        func link(_ path: String?, _ text: String) -> Shown.Value {
            .part(path.map { ["href": .string($0 + "#runs"), "text": .string(text)] })
        }
        return [
            "text": "", "previous": link(laterRuns, "Later runs"),
            "both": .flag(earlierRuns != nil && laterRuns != nil),
            "next": link(earlierRuns, "Earlier runs"),
        ]
    }

    var json: JSONObject {
        var json = JSONObject([
            ("href", .string(ownHref)), ("state", .string(description ?? "")),
            (
                "figures",
                .object(JSONObject(figures.figures.map { ($0.label, .string($0.value)) }))
            ),
            (
                "days",
                .array(
                    (isUnlisted ? [] : plot.table).map { row in
                        .object(
                            JSONObject([
                                ("days", .string(row.days)), ("new", .string(row.new)),
                                ("changed", .string(row.changed)), ("gone", .string(row.gone)),
                                ("failed_syncs", .string(row.failedSyncs)),
                            ]))
                    })
            ),
            ("runs", .array(runs.map { .object($0.json) })), ("changes", changes.json),
        ])
        json["earlier_runs"] = .some(earlierRuns.map(JSONValue.string) ?? .null)
        json["later_runs"] = .some(laterRuns.map(JSONValue.string) ?? .null)
        changes.addPaging(to: &json)
        return json
    }
}

extension PageFrame.Notice {
    /// What the template of a notice shows, without a link.
    var shown: Shown {
        [
            "severity": .text(severity.rawValue), "strong": .string(strong), "text": .string(text),
            "link": false,
        ]
    }
}
