import Catalogue
import Testing

@testable import MirrorServer

/// The plot of the design's history page, number by number.
@Suite("The plot of the design") struct HistoryPlotReferenceTests {
    /// Month, day, and the objects that were new, changed and gone.
    static let changes: [(Int, Int, Int, Int, Int)] = [
        (8, 22, 0, 1, 0), (8, 26, 3, 2, 1), (8, 27, 0, 3, 0), (9, 2, 1, 0, 0), (9, 9, 0, 4, 0),
        (9, 10, 2, 1, 0),
        (9, 17, 0, 2, 0), (9, 21, 1, 1, 0), (9, 28, 0, 0, 2), (9, 29, 4, 2, 0), (10, 5, 0, 5, 0),
        (10, 13, 0, 1, 0),
        (10, 16, 6, 3, 1), (10, 17, 0, 2, 0), (10, 24, 0, 1, 0), (10, 29, 2, 0, 0), (11, 4, 0, 3, 1),
        (11, 5, 0, 1, 0), (11, 11, 1, 2, 0), (11, 18, 3, 7, 0), (11, 19, 0, 2, 1), (11, 25, 1, 2, 0),
    ]

    /// The class, the position in per cent, the upper end and the height in pixels.
    static let bars: [(String, Double, Double, Double)] = [
        ("changed", 5.026, 114.6, 9.4),
        ("new", 8.906, 95.8, 28.2),
        ("changed", 8.906, 77, 17.3),
        ("gone", 8.906, 126, 9.4),
        ("changed", 9.876, 95.8, 28.2),
        ("new", 15.696, 114.6, 9.4),
        ("changed", 22.486, 86.4, 37.6),
        ("new", 23.456, 105.2, 18.8),
        ("changed", 23.456, 95.8, 7.9),
        ("changed", 30.246, 105.2, 18.8),
        ("new", 34.126, 114.6, 9.4),
        ("changed", 34.126, 105.2, 7.9),
        ("gone", 40.916, 126, 18.8),
        ("new", 41.886, 86.4, 37.6),
        ("changed", 41.886, 67.6, 17.3),
        ("changed", 47.706, 77, 47),
        ("changed", 55.466, 114.6, 9.4),
        ("new", 58.376, 67.6, 56.4),
        ("changed", 58.376, 39.4, 26.7),
        ("gone", 58.376, 126, 9.4),
        ("changed", 59.346, 105.2, 18.8),
        ("changed", 66.136, 114.6, 9.4),
        ("new", 70.986, 105.2, 18.8),
        ("changed", 76.806, 95.8, 28.2),
        ("gone", 76.806, 126, 9.4),
        ("changed", 77.776, 114.6, 9.4),
        ("new", 83.596, 114.6, 9.4),
        ("changed", 83.596, 95.8, 17.3),
        ("new", 90.386, 95.8, 28.2),
        ("changed", 90.386, 30, 64.3),
        ("changed", 91.356, 105.2, 18.8),
        ("gone", 91.356, 126, 9.4),
        ("new", 97.176, 114.6, 9.4),
        ("changed", 97.176, 95.8, 17.3),
    ]

    static let plot: HistoryPlot = {
        let first = CalendarDate(year: 2026, month: 8, day: 19).daysSince1970
        let failed = [43, 44, 96], none = [52, 53]
        var entries = (0..<100).filter { !none.contains($0) }.map { index in
            HistoryDay(
                date: CalendarDate(daysSince1970: first + index),
                completeSyncs: failed.contains(index) ? 0 : 1,
                failedSyncs: failed.contains(index) ? 1 : 0)
        }
        for (month, day, new, changed, gone) in changes {
            let date = CalendarDate(year: 2026, month: month, day: day)
            entries.append(HistoryDay(date: date, new: new, changed: changed, gone: gone))
        }
        return HistoryPlot(entries, today: CalendarDate(year: 2026, month: 11, day: 26))
    }()

    @Test func `The bars have the numbers of the design`() {
        let plot = Self.plot
        #expect(plot.bars.map(\.kindClass) == Self.bars.map(\.0))
        #expect(Set(plot.bars.map(\.width)) == ["0.72%"])
        for (bar, expected) in zip(plot.bars, Self.bars) {
            #expect(abs(number(bar.x) - expected.1) < 0.0015)
            #expect(abs(number(bar.y) - expected.2) < 0.101)
            #expect(abs(number(bar.height) - expected.3) < 0.101)
        }
    }

    @Test func `The grid has the lines of the design`() {
        #expect(
            Self.plot.grid == [
                HistoryPlot.Line(y: "77", labelY: "73", label: "5"),
                HistoryPlot.Line(y: "30", labelY: "26", label: "10"),
            ])
        #expect(Self.plot.zero == HistoryPlot.Line(y: "124.5", labelY: "120", label: "0"))
    }

    @Test func `The syncs and months stand where the design has them`() {
        let plot = Self.plot
        #expect(plot.dots.count == 95)
        #expect(plot.dots.first == HistoryPlot.Mark(x: "2.466%", y: "184"))
        #expect(plot.dots.last == HistoryPlot.Mark(x: "98.496%", y: "184"))
        #expect(plot.crosses.map(\.x) == ["44.176%", "45.146%", "95.586%"])
        #expect(plot.months.map(\.text) == ["Sept.", "Oct.", "Nov."])
        #expect(plot.months.map(\.x) == ["14.61%", "43.71%", "73.78%"])
        #expect(Set(plot.months.map(\.anchor)) == ["start"])
    }

    @Test func `The texts are those of the design`() {
        let plot = Self.plot
        #expect(plot.period == "19 August to 26 November 2026")
        #expect(plot.title == "Objects that were new, changed or gone, by day, in the last 100 days")
        #expect(
            plot.description
                == "On most days nothing changed. The most on one day: 3 new and 7 changed, on 18 November. "
                + "Three syncs failed: on 1 and 2 October and on 23 November.")
    }

    @Test func `The table is that of the design`() {
        #expect(
            Self.plot.table.map { [$0.days, $0.new, $0.changed, $0.gone, $0.failedSyncs] } == [
                ["18 to 26 November", "4", "11", "1", "1"], ["1 to 17 November", "1", "6", "1", "0"],
                ["October", "8", "12", "1", "2"], ["19 August to 30 September", "11", "16", "3", "0"],
            ])
    }
}

/// The number of an attribute, in per cent or pixels.
func number(_ text: String) -> Double {
    Double(text.hasSuffix("%") ? String(text.dropLast()) : text) ?? .nan
}
