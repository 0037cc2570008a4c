import OperationTree
import Synchronization

/// The calls of steps, in order.
final class CallLog: Sendable {
    private let entries = Mutex<[String]>([])
    var all: [String] { entries.withLock { $0 } }
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}

/// A step of strings whose behaviour is given as closures. By default each item is its own output.
struct ScriptedStep: Step {
    var name = ""
    var log = CallLog()
    var expand: @Sendable (String, StepContext<Void>) async throws -> Expansion<String>
    var perform: @Sendable (String, StepContext<Void>) async throws -> [String] = { item, _ in [item] }
    var finished: @Sendable (String, SubtreeOutcome) throws -> Void = { _, _ in }

    /// Expands each input to these items, each prefixed with the input.
    init(
        _ name: String = "", _ log: CallLog = CallLog(), items: [String],
        perform: @escaping @Sendable (String, StepContext<Void>) async throws -> [String] = { item, _ in
            [item]
        }
    ) {
        self.init(name, log, perform: perform) { input, _ in Expansion(items.map { input + $0 }) }
    }

    init(
        _ name: String = "", _ log: CallLog = CallLog(),
        perform: @escaping @Sendable (String, StepContext<Void>) async throws -> [String] = { item, _ in
            [item]
        },
        expand: @escaping @Sendable (String, StepContext<Void>) async throws -> Expansion<String>
    ) {
        self.name = name
        self.log = log
        self.expand = expand
        self.perform = perform
    }

    func expand(_ input: String, in context: StepContext<Void>) async throws -> Expansion<String> {
        log.add("\(name)(\(input))")
        return try await expand(input, context)
    }

    func perform(_ item: String, in context: StepContext<Void>) async throws -> [String] {
        log.add("\(name):\(item)\(context.isRetry ? " again" : "")")
        return try await perform(item, context)
    }

    func listIdentity(of input: String) -> String { input }

    func finished(_ input: String, _ scope: SubtreeOutcome, in context: StepContext<Void>) async throws {
        log.add("\(name)(\(input)) \(scope.subtreeComplete ? "done" : "incomplete")")
        try finished(input, scope)
    }

    func operations(performing item: String, in context: StepContext<Void>) -> [String] { ["GET \(item)"] }
}

struct TestFailure: Error, Equatable {
    var item = ""
}
struct FinalTestFailure: FinalFailure {}
struct DiskFull: RunFailure {}

/// Scope outcomes, by node and input.
final class ScopeLog: Sendable {
    private let outcomes = Mutex<[String: SubtreeOutcome]>([:])
    subscript(key: String) -> SubtreeOutcome? { outcomes.withLock { $0[key] } }
    func record(_ key: String, _ outcome: SubtreeOutcome) { outcomes.withLock { $0[key] = outcome } }
}

extension ScriptedStep {
    func recordingScopes(_ scopes: ScopeLog) -> ScriptedStep {
        var copy = self
        copy.finished = { [name] input, outcome in scopes.record("\(name)(\(input))", outcome) }
        return copy
    }
}

let bothModes: [RunMode] = [.synchronous, .concurrent]
