import Catalogue

/// What happened on one day.
struct HistoryDay: Sendable, Equatable {
    var date: CalendarDate
    /// Objects.
    var new = 0
    var changed = 0
    var gone = 0
    var completeSyncs = 0
    var failedSyncs = 0

    /// The objects that are new, changed or gone.
    var changes: Int { new + changed + gone }

    /// Adds the counts of another entry of the same day. Negative counts are 0, and very large ones a billion.
    mutating func add(_ other: HistoryDay) {
        func sum(_ first: Int, _ second: Int) -> Int {
            min(first, 1_000_000_000) + min(max(second, 0), 1_000_000_000)
        }
        new = sum(new, other.new)
        changed = sum(changed, other.changed)
        gone = sum(gone, other.gone)
        completeSyncs = sum(completeSyncs, other.completeSyncs)
        failedSyncs = sum(failedSyncs, other.failedSyncs)
    }
}

/// The consecutive days that a plot shows, the last of them today. Days without an entry have zeros.
struct HistoryDays: Sendable, Equatable {
    let days: [HistoryDay]
    /// The index of the day on which the mirror was made; 0 if it is older than the days.
    let begin: Int
    /// Whether the mirror was made on one of the days, after the first.
    let isYoung: Bool

    /// - Parameters:
    ///   - entries: in any order; several of one day are added up. Those before the first day, or later than today (they were
    ///     written while the clock was wrong), are left out.
    ///   - madeOn: the day of the mirror's first run, if known.
    init(_ entries: some Sequence<HistoryDay>, today: CalendarDate, madeOn: CalendarDate?, count: Int) {
        let count = max(count, 1)
        let first = today.daysSince1970 - (count - 1)
        var days = (0..<count).map { HistoryDay(date: CalendarDate(daysSince1970: first + $0)) }
        for entry in entries where entry.date.exists {
            let index = entry.date.daysSince1970 - first
            if days.indices.contains(index) { days[index].add(entry) }
        }
        self.days = days
        let made = madeOn.map { $0.daysSince1970 - first } ?? -1
        // What happened before a date that must be wrong is shown nevertheless.
        let earliest = days.firstIndex { $0.changes + $0.completeSyncs + $0.failedSyncs > 0 } ?? count - 1
        begin = min(max(made, 0), earliest)
        isYoung = made > 0 && begin == made
    }

    /// The days since the mirror was made.
    var lived: ArraySlice<HistoryDay> { days[begin...] }

    var first: CalendarDate { days[0].date }
    var last: CalendarDate { days[days.count - 1].date }
}
