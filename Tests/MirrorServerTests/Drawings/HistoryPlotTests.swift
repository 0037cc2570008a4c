import Catalogue
import Testing

@testable import MirrorServer

@Suite("A plot of the last 100 days") struct HistoryPlotTests {
    static let today = CalendarDate(year: 2026, month: 11, day: 26)

    /// The day a number of days before today.
    static func ago(_ days: Int) -> CalendarDate { CalendarDate(daysSince1970: today.daysSince1970 - days) }

    private func plot(_ entries: [HistoryDay], madeOn: CalendarDate? = nil) -> HistoryPlot {
        HistoryPlot(entries, today: Self.today, madeOn: madeOn)
    }

    @Test func `An empty history is an empty plot that says so`() {
        let plot = plot([])
        #expect(plot.bars.isEmpty && plot.dots.isEmpty && plot.crosses.isEmpty && plot.grid.isEmpty)
        #expect(plot.zero.y == "124.5")
        #expect(plot.months.count == 3)
        #expect(plot.description == "Nothing changed. No sync was complete.")
        #expect(plot.table.count == 4)
    }

    @Test func `One object is visible beside a hundred thousand`() {
        let plot = plot([
            HistoryDay(date: Self.ago(50), new: 99_999, changed: 1), HistoryDay(date: Self.ago(3), new: 1),
            HistoryDay(date: Self.ago(2), new: 1, changed: 1, gone: 1),
        ])
        #expect(plot.bars.count == 6)
        for bar in plot.bars { #expect(number(bar.height) >= 1) }
        #expect(plot.grid.map(\.label) == ["50,000", "100,000"])
        #expect(plot.description.contains("99,999 new and 1 changed, on 7 October"))
    }

    @Test(arguments: [
        (0, 1), (0, 100_000), (1, 1), (3, 50), (10, 3), (10, 4), (500_000, 500_000), (1_000_000_000, 1),
        (5, 2),
        (7, 0),
    ])
    func `Bars of any counts stay between the labels above and below`(above: Int, below: Int) {
        let plot = plot([
            HistoryDay(date: Self.today, new: above / 2, changed: above - above / 2, gone: below)
        ])
        for bar in plot.bars {
            #expect(number(bar.y) >= 27)
            #expect(number(bar.y) + number(bar.height) <= 161)
        }
        #expect((1...6).contains(plot.grid.count))
    }

    @Test(arguments: [
        (1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (4, [2, 4]), (7, [5, 10]), (10, [5, 10]), (11, [5, 10, 15]),
        (16, [10, 20]), (31, [20, 40]), (99, [50, 100]), (3001, [2000, 4000]),
    ])
    func `Grid lines have steps of one, two or five`(largest: Int, lines: [Int]) {
        #expect(PlotAxis(above: largest, below: 0).lines == lines)
    }

    @Test func `Many deletions move zero upwards and get lines of their own`() {
        let axis = PlotAxis(above: 10, below: 100)
        #expect(axis.lines == [50, -50, -100])
        #expect(axis.zero < PlotAxis.usualZero)
        #expect(abs(axis.zero + axis.unit * 100 - PlotAxis.bottom) < 1e-9)
        #expect(PlotAxis(above: 10, below: 2).zero == PlotAxis.usualZero)
    }

    @Test func `Days later than today, earlier than the plot, and dates that don't exist are left out`() {
        let plot = plot([
            HistoryDay(date: Self.ago(-1), new: 5, failedSyncs: 1), HistoryDay(date: Self.ago(100), gone: 5),
            HistoryDay(date: CalendarDate(year: 2026, month: 13, day: 40), new: 5),
            HistoryDay(date: Self.ago(99), new: 1), HistoryDay(date: Self.today, changed: 1),
        ])
        #expect(plot.bars.map(\.kind) == [.new, .changed])
        #expect(plot.crosses.isEmpty)
    }

    @Test func `Counts of one day are added up, and negative ones are nothing`() {
        let plot = plot([
            HistoryDay(date: Self.today, new: 2, completeSyncs: 1),
            HistoryDay(date: Self.today, new: 3, gone: -4),
            HistoryDay(date: Self.today, changed: .max, failedSyncs: 2),
        ])
        #expect(plot.table[0].new == "5")
        #expect(plot.table[0].gone == "0")
        #expect(plot.table[0].failedSyncs == "2")
        #expect(plot.crosses.map(\.y) == ["184"])
        #expect(plot.dots.map(\.y) == ["193"])
    }

    @Test func `Texts say nothing of days before the mirror was made`() {
        let plot = plot(
            [
                HistoryDay(date: Self.ago(2), new: 84, completeSyncs: 1),
                HistoryDay(date: Self.today, completeSyncs: 2),
            ],
            madeOn: Self.ago(2))
        #expect(
            plot.description
                == "The mirror was made on 24 November. On most days nothing changed. "
                + "The most on one day: 84 new, on 24 November. No sync failed.")
        #expect(plot.table.map(\.days) == ["24 to 26 November"])
    }

    @Test(arguments: [
        ([5], "One sync failed, on 21 November."), ([5, 5], "Two syncs failed, on 21 November."),
        ([30, 5], "Two syncs failed: on 27 October and on 21 November."),
        ([60, 30, 5], "Three syncs failed: on 27 September, on 27 October and on 21 November."),
        ([5, 4, 3, 3], "Four syncs failed: on 21, 22 and 23 November."),
        ([9, 8, 7, 6, 5, 4, 3], "Seven syncs failed, on seven days, the latest on 23 November."),
    ])
    func `Failed syncs are counted, and their days named`(ago: [Int], sentence: String) {
        let plot = plot(ago.map { HistoryDay(date: Self.ago($0), failedSyncs: 1) })
        #expect(plot.description == "Nothing changed. " + sentence)
    }

    @Test(arguments: [
        (100, "Something changed every day."), (60, "Something changed on 60 of 100 days."),
        (50, "Something changed on 50 of 100 days."), (49, "On most days nothing changed."),
    ])
    func `The description says how often something changed`(days: Int, sentence: String) {
        let plot = plot((0..<days).map { HistoryDay(date: Self.ago($0), changed: 1) })
        #expect(plot.description.hasPrefix(sentence))
    }

    @Test(arguments: [
        (
            2027, 1, 4,
            [
                "27 December 2026 to 4 January 2027", "1 to 26 December", "November",
                "27 September to 31 October",
            ]
        ),
        (2026, 11, 9, ["1 to 9 November", "October", "September", "2 to 31 August"]),
        (2026, 11, 10, ["2 to 10 November", "1 November", "October", "September", "3 to 31 August"]),
    ])
    func `Rows are the latest nine days, then months`(year: Int, month: Int, day: Int, rows: [String]) {
        let plot = HistoryPlot([HistoryDay](), today: CalendarDate(year: year, month: month, day: day))
        #expect(plot.table.map(\.days) == rows)
    }

    @Test func `The label of a month that has just begun doesn't stand out at the right`() {
        let plot = HistoryPlot([HistoryDay](), today: CalendarDate(year: 2026, month: 12, day: 2))
        #expect(plot.months.last == HistoryPlot.MonthLabel(x: "100%", anchor: "end", text: "Dec."))
        #expect(plot.months.map(\.text) == ["Sept.", "Oct.", "Nov.", "Dec."])
    }
}
