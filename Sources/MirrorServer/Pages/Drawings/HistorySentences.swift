import Catalogue

/// What a plot shows, in sentences, for people who can't see it. Every sentence is true of the days since the mirror was made.
struct HistorySentences: Sendable, Equatable {
    /// More days than these aren't listed one by one.
    private static let listedDays = 6

    let text: String

    init(_ history: HistoryDays) {
        let days = history.lived
        var sentences: [String] = []
        if history.isYoung, let first = days.first {
            sentences.append("The mirror was made on \(DayText.short(first.date)).")
        }
        sentences += Self.changes(in: days) + Self.syncs(in: days)
        text = sentences.joined(separator: " ")
    }

    private static func changes(in days: ArraySlice<HistoryDay>) -> [String] {
        let busy = days.filter { $0.changes > 0 }
        guard var most = busy.first else { return ["Nothing changed."] }
        for day in busy where day.changes >= most.changes { most = day }
        let extent =
            busy.count == days.count
            ? (days.count == 1 ? nil : "Something changed every day.")
            : busy.count * 2 < days.count
                ? "On most days nothing changed."
                : "Something changed on \(CountText(busy.count).words) of \(CountText(days.count).words) days."
        let parts = [("new", most.new), ("changed", most.changed), ("gone", most.gone)]
            .filter { $0.1 > 0 }.map { "\(CountText($0.1).digits) \($0.0)" }
        return [extent, "The most on one day: \(DayText.joined(parts)), on \(DayText.short(most.date))."]
            .compactMap(\.self)
    }

    private static func syncs(in days: ArraySlice<HistoryDay>) -> [String] {
        let failed = days.filter { $0.failedSyncs > 0 }
        guard let last = failed.last else {
            return [days.contains { $0.completeSyncs > 0 } ? "No sync failed." : "No sync was complete."]
        }
        let count = CountText(failed.reduce(0) { $0 + $1.failedSyncs })
        let subject = "\(count.capitalized) \(count.count == 1 ? "sync" : "syncs") failed"
        if failed.count == 1 { return ["\(subject), on \(DayText.short(last.date))."] }
        if failed.count <= listedDays { return ["\(subject): \(DayText.list(failed.map(\.date)))."] }
        return [
            "\(subject), on \(CountText(failed.count).words) days, the latest on \(DayText.short(last.date))."
        ]
    }
}
