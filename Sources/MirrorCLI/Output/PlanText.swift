import Catalogue
import MirrorStore
import MirrorSync

/// The text of a dry run's plan.
enum PlanText {
    static func lines(_ summary: SyncSummary, place: String) -> [String] {
        guard let plan = summary.plan else {
            return ["\(summary.partner.printable): the dry run could not determine what a sync would do."]
        }
        var lines = [headline(summary, plan)] + table(summary, plan).lines
        let (median, most) = (Wording.duration(plan.forecast.median), Wording.duration(plan.forecast.p90))
        let time = "A sync would take about \(median), and with 90 % probability at most \(most)"
        lines += ["", traffic(plan), plan.days > 1 ? days(plan) : time, diskSpace(plan, place)]
        if !plan.guarded.isEmpty {
            lines.append(ErrorMessage.planGuarded(plan.guarded, deletions: plan.guardedDeletions))
        }
        if lines.contains(where: { $0.contains("±") }) {
            lines.append(
                "Numbers with ± are estimates: the true number is in the range with 90 % probability.")
        }
        lines.append(
            "The dry run sent \(Wording.count(summary.requests.sent, "request")) and wrote nothing.")
        return lines + [SummaryText.untiled(summary)].compactMap(\.self) + SummaryText.problemLines(summary)
    }

    private static func headline(_ summary: SyncSummary, _ plan: SyncPlan) -> String {
        let (name, verb) = SummaryText.subject(summary), isPart = !summary.only.isEmpty
        guard plan.hasChanges else {
            return plan.isExact
                ? "\(name) \(verb) up to date: a sync would change nothing."
                : "\(name) \(isPart ? "seem" : "seems") up to date: no change was found in what was checked."
        }
        var words = SummaryText.objectChanges(summary)
        for (kind, label) in [("image", "pictures"), ("tile", "tiles"), ("document", "documents")] {
            guard let files = plan.files[kind], files.rounded > 0 || files.margin >= 0.5 else { continue }
            words.append(
                "\(number(files)) \(files.isExact && files.rounded == 1 ? String(label.dropLast()) : label) to fetch"
            )
        }
        if plan.relocated > 0 { words.append(SummaryText.relocated(plan.relocated)) }
        if plan.lostFiles > 0 { words.append("\(Wording.count(plan.lostFiles, "lost file")) to fetch again") }
        if words.isEmpty {
            words = [
                plan.guarded.isEmpty ? "edits to push" : "the delete guard would stop all removals"
            ]
        }
        return "\(name), if synced now: \(Wording.list(words))."
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

    private static func days(_ plan: SyncPlan) -> String {
        "The source allows a limited number of requests a day, so it takes about \(Wording.count(plan.days, "day")): a sync stops when they are used up, and the next one continues"
    }

    private static func diskSpace(_ plan: SyncPlan, _ place: String) -> String {
        let needed = "\(Wording.bytes(plan.disk.needed)) of disk space is needed in \(place.printable)"
        guard let free = plan.disk.free else { return needed }
        return plan.disk.isEnough
            ? "\(needed), \(Wording.bytes(free)) is free"
            : "\(needed), but only \(Wording.bytes(free)) is free: free disk space before a sync"
    }

    /// `1,234`, `1,234 ± 56`, `·`
    private static func number(_ estimate: Estimate) -> String {
        guard estimate.margin >= 0.5 else { return TextTable.number(estimate.rounded) }
        return "\(Wording.count(estimate.rounded)) ± \(Wording.count(estimate.roundedMargin))"
    }

    private static func bytes(_ estimate: Estimate) -> String {
        let value = Wording.bytes(Int64(estimate.value))
        // A margin of less than 1 % is not worth showing.
        guard estimate.margin * 100 >= estimate.value, estimate.margin >= 1 else { return value }
        return "\(value) ± \(Wording.bytes(Int64(estimate.margin)))"
    }
}
