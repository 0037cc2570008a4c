import Catalogue

/// The numbers of a plot as a table with few rows: the latest nine days, then a row for each month.
struct HistoryTable: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        /// "18 to 26 November", "October".
        let days: String
        let new: String
        let changed: String
        let gone: String
        let failedSyncs: String
    }

    /// The days of the first row.
    private static let latestDays = 9
    /// A part of a month at the beginning that is shorter has no row: it is added to the month after it.
    private static let shortestBeginning = 15

    /// The latest first.
    let rows: [Row]

    /// - Parameter days: consecutive days in ascending order.
    init(_ days: ArraySlice<HistoryDay>) {
        var groups: [ArraySlice<HistoryDay>] = []
        var rest = days.dropLast(Self.latestDays)
        while let last = rest.last {
            let earlier = rest.lastIndex { $0.date.month != last.date.month } ?? rest.startIndex - 1
            groups.append(rest[(earlier + 1)...])
            rest = rest[...earlier]
        }
        if groups.count > 1, let first = groups.last, first.count < Self.shortestBeginning {
            let next = groups[groups.count - 2]
            groups.removeLast(2)
            groups.append(days[first.startIndex..<next.endIndex])
        }
        groups.insert(days.suffix(Self.latestDays), at: 0)
        rows = groups.filter { !$0.isEmpty }.map(Self.row)
    }

    private static func row(_ days: ArraySlice<HistoryDay>) -> Row {
        func sum(_ count: KeyPath<HistoryDay, Int>) -> String {
            CountText(days.reduce(0) { $0 + $1[keyPath: count] }).digits
        }
        return Row(
            days: DayText.period(from: days[days.startIndex].date, to: days[days.endIndex - 1].date),
            new: sum(\.new), changed: sum(\.changed), gone: sum(\.gone), failedSyncs: sum(\.failedSyncs))
    }
}
