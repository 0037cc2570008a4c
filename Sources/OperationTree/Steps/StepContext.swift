import Synchronization

/// What a run hands to a step: what it works with, and which try this is.
public struct StepContext<Environment: Sendable>: Sendable {
    /// What the run was given: the same value for all steps of the tree.
    public let environment: Environment
    /// The name of the node that the step runs at.
    public let node: String
    /// Whether this is the second try, at the end of the run.
    public let isRetry: Bool
    let reports: ReportCollector
}

extension StepContext {
    /// A context of its own, for calling a step directly, as tests do.
    public init(node: String, environment: Environment, isRetry: Bool = false) {
        self.init(environment: environment, node: node, isRetry: isRetry, reports: ReportCollector())
    }

    /// Reports a failure that doesn't fail the item, such as one album of many that could not be pushed.
    ///
    /// It is listed among the outcome's failures and makes the outcome partial, but leaves scopes as they are.
    /// Reports of a try that itself fails and is tried again are dropped, so none is counted twice.
    public func report(_ problem: any Error, item: String) {
        reports.add(Report(item: item, error: problem))
    }

    /// What was reported through this context so far, in order.
    public var reported: [Report] { reports.all }
}

extension StepContext<Void> {
    /// A context of a tree without environment, for calling a step directly.
    public init(node: String, isRetry: Bool = false) {
        self.init(node: node, environment: (), isRetry: isRetry)
    }
}

/// A failure that a step reported without failing its item.
public struct Report: Sendable {
    public let item: String
    public let error: any Error
}

/// Gathers the reports of one try. A worker owns one and empties it after each try.
final class ReportCollector: Sendable {
    private let reports = Mutex<[Report]>([])

    var all: [Report] { reports.withLock { $0 } }

    func add(_ report: Report) { reports.withLock { $0.append(report) } }

    func takeAll() -> [Report] {
        reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }
}
