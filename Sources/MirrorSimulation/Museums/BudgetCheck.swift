import MirrorSync

/// The budget of a described catalogue, by the museum's own record of requests: how many come in a second, and on a day.
struct BudgetCheck {
    let log: MuseumLog
    /// The maximum number of requests a second to each host, one more than which may fall into any second.
    let rate: Int
    /// The maximum number of requests a day to each host; `nil` for no limit.
    let perDay: Int?

    func violations() -> [Violation] {
        var found: [String] = []
        for (host, entries) in Dictionary(grouping: log.entries, by: \.host).sorted(by: { $0.key < $1.key }) {
            let times = entries.map(\.elapsed)
            // If there were more, this request and the one that is `rate + 1` after it would be less than a second apart.
            for (early, late) in zip(times, times.dropFirst(rate + 1)) where late - early < .milliseconds(999)
            {
                found.append("\(host) got more than \(rate + 1) requests in the second after \(early).")
                break
            }
        }
        if let perDay {
            for (host, days) in log.days.sorted(by: { $0.key < $1.key }) {
                for (day, count) in days.sorted(by: { $0.key < $1.key }) where count > perDay {
                    found.append("\(host) got \(count) requests on day \(day), and \(perDay) are allowed.")
                }
            }
        }
        return found.map { Violation(.budgetIsKept, $0) }
    }
}
