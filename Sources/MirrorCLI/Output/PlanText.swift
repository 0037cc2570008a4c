import Catalogue
import MirrorStore
import MirrorSync

/// What a person reads of a dry run.
enum PlanText {
    static func lines(_ summary: SyncSummary, place: String) -> [String] {
        guard let plan = summary.plan else {
            return ["\(summary.partner.printable): what a sync would do could not be found out."]
        }
        var lines = [headline(summary, plan)] + table(summary, plan).lines
        let (median, most) = (Wording.duration(plan.forecast.median), Wording.duration(plan.forecast.p90))
        let time = "It would take about \(median), nine times in ten at most \(most)"
        lines += ["", traffic(plan), time, room(plan, place)]
        if !plan.guarded.isEmpty {
            lines.append(ErrorMessage.foreseen(plan.guarded, deletions: plan.guardedDeletions))
        }
        if lines.contains(where: { $0.contains("±") }) {
            lines.append("Numbers with ± are estimates: nine times in ten the truth lies within.")
        }
        lines.append(
            "\(Wording.count(summary.requests.sent, "request")) to find this out; nothing was written.")
        return lines + [SummaryText.untiled(summary)].compactMap(\.self) + SummaryText.problemLines(summary)
    }

    private static func headline(_ summary: SyncSummary, _ plan: SyncPlan) -> String {
        let (name, verb) = SummaryText.subject(summary), isPart = !summary.only.isEmpty
        guard plan.hasChanges else {
            return plan.isExact
                ? "\(name) \(verb) up to date: a sync would change nothing."
                : "\(name) \(isPart ? "seem" : "seems") up to date: nothing that was looked at has changed."
        }
        var words = SummaryText.objectChanges(summary)
        for (kind, label) in [("image", "pictures"), ("tile", "tiles"), ("document", "documents")] {
            guard let files = plan.files[kind], files.rounded > 0 || files.margin >= 0.5 else { continue }
            words.append(
                "\(number(files)) \(files.isExact && files.rounded == 1 ? String(label.dropLast()) : label) to fetch"
            )
        }
        if plan.relocated > 0 { words.append(SummaryText.relocated(plan.relocated)) }
        if plan.lostFiles > 0 { words.append("\(Wording.count(plan.lostFiles)) lost files to fetch again") }
        if words.isEmpty {
            words = [
                plan.guarded.isEmpty ? "edits to send" : "the guard would stop it from removing anything"
            ]
        }
        return "\(name), if \(isPart ? "they" : "it") were synchronised now: \(Wording.list(words))."
    }

    private static func table(_ summary: SyncSummary, _ plan: SyncPlan) -> TextTable {
        var table = TextTable(header: ["", "listed", "new", "changed", "gone", "left"])
        for kind in Kinds.standard.all {
            guard let count = summary.objects[kind.name], count != .zero else { continue }
            let changed = plan.updated[kind.name].map(number) ?? TextTable.number(count.updated)
            let first = [count.listed, count.created].map(TextTable.number)
            let last = [count.deleted, count.unchanged].map(TextTable.number)
            table.rows.append([SummaryText.label(kind)] + first + [changed] + last)
        }
        return table
    }

    private static func traffic(_ plan: SyncPlan) -> String {
        let requests = "\(number(plan.requests)) request\(plan.requests.rounded == 1 ? "" : "s")"
        let parts = [("JSON", plan.json), ("pictures and documents", plan.media)].filter {
            $0.1.rounded > 0 || $0.0 == "JSON"
        }
        return "\(requests), " + parts.map { "\(bytes($0.1)) of \($0.0)" }.joined(separator: ", ")
    }

    private static func room(_ plan: SyncPlan, _ place: String) -> String {
        let needed = "\(Wording.bytes(plan.disk.needed)) of room is needed at \(place.printable)"
        guard let free = plan.disk.free else { return needed }
        return plan.disk.isEnough
            ? "\(needed), \(Wording.bytes(free)) is free"
            : "\(needed), but only \(Wording.bytes(free)) is free: free some space first"
    }

    /// `1,234`, `1,234 ± 56`, `·`
    private static func number(_ estimate: Estimate) -> String {
        guard estimate.margin >= 0.5 else { return TextTable.number(estimate.rounded) }
        return "\(Wording.count(estimate.rounded)) ± \(Wording.count(estimate.roundedMargin))"
    }

    private static func bytes(_ estimate: Estimate) -> String {
        let value = Wording.bytes(Int64(estimate.value))
        // A margin of less than one in a hundred would be noise.
        guard estimate.margin * 100 >= estimate.value, estimate.margin >= 1 else { return value }
        return "\(value) ± \(Wording.bytes(Int64(estimate.margin)))"
    }
}
