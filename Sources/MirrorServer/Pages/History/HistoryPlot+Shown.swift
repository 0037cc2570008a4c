import Catalogue
import MirrorStore

extension HistoryPlot {
    /// Gathers the days of the plot.
    init(_ store: CatalogueStore, for face: Face, now: Timestamp) throws {
        let today = now.day
        let first = Timestamp(seconds: (today.daysSince1970 - Self.length + 1) * 86_400).text.prefix(10)
        func date(_ day: String) -> CalendarDate? { Timestamp(day)?.day }
        var days = try store.tallies(since: String(first), to: face).compactMap { entry in
            date(entry.day).map {
                HistoryDay(
                    date: $0, new: entry.tally.created, changed: entry.tally.updated,
                    gone: entry.tally.deleted)
            }
        }
        for update in try store.updates(since: String(first)) {
            guard let day = date(update.day) else { continue }
            switch update.outcome {
            case "complete": days.append(HistoryDay(date: day, completeSyncs: update.count))
            case "failed": days.append(HistoryDay(date: day, failedSyncs: update.count))
            default: continue
            }
        }
        // Older runs are no longer in the log, so its oldest run is the mirror's first only if it has the number 1.
        let isComplete = try store.runRange()?.oldest == 1
        let made = try isComplete ? store.firstRunStart().flatMap { Timestamp($0)?.day } : nil
        self.init(days, today: today, madeOn: made)
    }

    /// What the template of the history shows.
    var shown: Shown {
        func line(_ line: Line) -> Shown {
            ["y": .string(line.y), "labelY": .string(line.labelY), "label": .string(line.label)]
        }
        func mark(_ mark: Mark) -> Shown { ["x": .string(mark.x), "y": .string(mark.y)] }
        return [
            "title": .string(title), "description": .string(description), "period": .string(period),
            "height": .string(Self.height), "days": .number(Self.length), "grid": .many(grid.map(line)),
            "zero": .one(line(zero)),
            "bars": .many(
                bars.map { bar in
                    [
                        "css": .string(bar.kindClass), "x": .string(bar.x), "y": .string(bar.y),
                        "width": .string(bar.width), "height": .string(bar.height),
                    ]
                }),
            "dots": .many(dots.map(mark)), "crosses": .many(crosses.map(mark)),
            "months": .many(
                months.map { ["x": .string($0.x), "anchor": .string($0.anchor), "text": .string($0.text)] }),
            "rows": .many(
                table.map { row in
                    [
                        "days": .string(row.days), "new": .string(row.new), "changed": .string(row.changed),
                        "gone": .string(row.gone), "failed": .string(row.failedSyncs),
                    ]
                }),
        ]
    }
}
