import Catalogue

/// The plot of what changed in the last 100 days: the numbers and texts of one SVG, and the same as a table.
///
/// Horizontal positions are per cent of the plot's width, which is not known; vertical ones are pixels of a height of 248. There
/// is no viewBox, so texts keep their size.
struct HistoryPlot: Sendable, Equatable {
    /// A horizontal line with its number.
    struct Line: Sendable, Equatable {
        let y: String
        let labelY: String
        let label: String
    }
    /// The objects of one day that were new, changed or gone.
    struct Bar: Sendable, Equatable {
        enum Kind: String, Sendable { case new, changed, gone }
        let kind: Kind
        /// The class in the style sheet: "new", "changed" or "gone".
        var kindClass: String { kind.rawValue }
        let x: String
        let y: String
        let width: String
        let height: String
    }
    /// The middle of the mark of a day's syncs.
    struct Mark: Sendable, Equatable {
        let x: String
        let y: String
    }
    struct MonthLabel: Sendable, Equatable {
        let x: String
        /// The attribute `text-anchor`: "start", or "end" at the right edge, beyond which a text would widen the page.
        let anchor: String
        let text: String
    }

    /// The number of days.
    static let length = 100
    /// The attribute of the `svg` element, in pixels.
    static let height = "248"

    /// The text of `title`.
    let title: String
    /// The text of `desc`: the plot in sentences.
    let description: String
    /// "19 August to 26 November 2026".
    let period: String
    let grid: [Line]
    let zero: Line
    /// By day; on one day new, changed, gone.
    let bars: [Bar]
    /// Days with a complete sync.
    let dots: [Mark]
    /// Days with a failed sync.
    let crosses: [Mark]
    let months: [MonthLabel]
    /// The same as numbers, the latest first.
    let table: [HistoryTable.Row]

    /// - Parameters:
    ///   - entries: in any order; days without an entry have zeros. Entries later than today are left out.
    ///   - today: the last day of the plot.
    ///   - madeOn: the day of the mirror's first run. Texts and table say nothing of days before it.
    init(_ entries: some Sequence<HistoryDay>, today: CalendarDate, madeOn: CalendarDate? = nil) {
        let history = HistoryDays(entries, today: today, madeOn: madeOn, count: Self.length)
        let days = history.days
        let axis = PlotAxis(
            above: days.reduce(0) { max($0, $1.new + $1.changed) }, below: days.reduce(0) { max($0, $1.gone) }
        )
        let slots = PlotSlots(count: days.count)

        title = "Objects that were new, changed or gone, by day, in the last \(days.count) days"
        description = HistorySentences(history).text
        period = DayText.long(from: history.first, to: history.last)
        grid = axis.lines.map { number in
            let y = axis.zero - Double(number) * axis.unit + (number < 0 ? Self.belowZero : 0)
            return Line(y: y.tenths, labelY: (y - 4).tenths, label: CountText(abs(number)).digits)
        }
        zero = Line(y: (axis.zero + 0.5).tenths, labelY: (axis.zero - 4).tenths, label: "0")
        bars = days.enumerated().flatMap { Self.bars(of: $1, at: $0, axis: axis, slots: slots) }
        dots = days.enumerated().compactMap { index, day in
            // A failed sync of the same day has the place of the dot, which then stands below it.
            day.completeSyncs > 0
                ? Mark(x: slots.mark(index), y: day.failedSyncs > 0 ? "193" : Self.marks) : nil
        }
        crosses = days.enumerated().compactMap { index, day in
            day.failedSyncs > 0 ? Mark(x: slots.mark(index), y: Self.marks) : nil
        }
        months = days.enumerated().compactMap { index, day in
            guard day.date.day == 1 else { return nil }
            let text = DayText.shortMonth(day.date)
            return index > days.count - 12
                ? MonthLabel(x: "100%", anchor: "end", text: text)
                : MonthLabel(x: slots.start(index), anchor: "start", text: text)
        }
        table = HistoryTable(history.lived).rows
    }

    /// The vertical position of the marks of syncs.
    private static let marks = "184"
    /// Bars of gone objects begin this far below zero, so that the line stays visible.
    private static let belowZero = 2.0
    /// The space between two bars of one day.
    private static let between = 1.5

    private static func bars(of day: HistoryDay, at index: Int, axis: PlotAxis, slots: PlotSlots) -> [Bar] {
        func bar(_ kind: Bar.Kind, from top: Double, to bottom: Double) -> Bar {
            Bar(
                kind: kind, x: slots.bar(index), y: top.tenths, width: slots.barWidth,
                height: (bottom - top).tenths)
        }
        var bars: [Bar] = [], bottom = axis.zero
        if day.new > 0 {
            let top = bottom - axis.length(day.new)
            bars.append(bar(.new, from: top, to: bottom))
            bottom = top - between
        }
        if day.changed > 0 {
            // The upper end shows the sum: the space between is taken from this bar, as long as a pixel of it is left.
            let top = min(axis.zero - axis.length(day.new + day.changed), bottom - 1)
            bars.append(bar(.changed, from: top, to: bottom))
        }
        if day.gone > 0 {
            let top = axis.zero + belowZero
            bars.append(bar(.gone, from: top, to: top + axis.length(day.gone)))
        }
        return bars
    }
}
