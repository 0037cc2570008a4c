import Synchronization

/// The context of one call of a step: the run's environment, the node's name, and whether it is the second try.
public struct StepContext<Environment: Sendable>: Sendable {
    /// The run's environment; the same value for all steps of the tree.
    public let environment: Environment
    /// The name of the node that the step runs at.
    public let node: String
    /// Whether this is the second try, at the end of the run.
    public let isRetry: Bool
    let reports: ReportCollector
}

extension StepContext {
    /// Creates a context, for calling a step directly in tests.
    public init(node: String, environment: Environment, isRetry: Bool = false) {
        self.init(environment: environment, node: node, isRetry: isRetry, reports: ReportCollector())
    }

    /// Reports a failure that doesn't fail the item, such as one of several albums that could not be uploaded.
    ///
    /// It is listed in the outcome's failures and makes the outcome partial. It doesn't make the scope incomplete.
    /// If the try itself fails and is repeated, its reports are dropped, so none is counted twice.
    ///
    /// - Parameters:
    ///   - problem: The failure.
    ///   - item: The identity of the object that the failure is about.
    public func report(_ problem: any Error, item: String) {
        reports.add(Report(item: item, error: problem))
    }

    /// The failures reported through this context so far, in order.
    public var reported: [Report] { reports.all }
}

extension StepContext<Void> {
    /// Creates a context of a tree without an environment, for calling a step directly in tests.
    public init(node: String, isRetry: Bool = false) {
        self.init(node: node, environment: (), isRetry: isRetry)
    }
}

/// A failure that a step reported without failing its item.
public struct Report: Sendable {
    /// The identity of the object that the failure is about.
    public let item: String
    /// The failure.
    public let error: any Error
}

/// Collects the reports of one try. Each worker owns one, and empties it after each try.
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
