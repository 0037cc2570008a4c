import Synchronization

/// Gathers the reports of one try. A worker owns one and empties it after each try.
final class ReportCollector: Sendable {
    private let reports = Mutex<[Report]>([])

    var all: [Report] { reports.withLock { $0 } }

    func add(_ report: Report) { reports.withLock { $0.append(report) } }

    func takeAll() -> [Report] {
        reports.withLock { reports in
            if reports.isEmpty { return [] }
            defer { reports = [] }
            return reports
        }
    }
}
