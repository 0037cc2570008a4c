import OperationTree
import Synchronization

/// What happened, in order.
final class Journal: Sendable {
    private let entries = Mutex<[String]>([])
    var all: [String] { entries.withLock { $0 } }
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}

/// A step of strings whose behaviour a test writes down. Items are put out as they are unless `perform` says else.
struct ScriptedStep: Step {
    var name = ""
    var journal = Journal()
    var expand: @Sendable (String, StepContext<Void>) async throws -> Expansion<String>
    var perform: @Sendable (String, StepContext<Void>) async throws -> [String] = { item, _ in [item] }
    var finished: @Sendable (String, ScopeOutcome) throws -> Void = { _, _ in }

    /// Each input has these items, named after it.
    init(
        _ name: String = "", _ journal: Journal = Journal(), items: [String],
        perform: @escaping @Sendable (String, StepContext<Void>) async throws -> [String] = { item, _ in
            [item]
        }
    ) {
        self.init(name, journal, perform: perform) { input, _ in Expansion(items.map { input + $0 }) }
    }

    init(
        _ name: String = "", _ journal: Journal = Journal(),
        perform: @escaping @Sendable (String, StepContext<Void>) async throws -> [String] = { item, _ in
            [item]
        },
        expand: @escaping @Sendable (String, StepContext<Void>) async throws -> Expansion<String>
    ) {
        self.name = name
        self.journal = journal
        self.expand = expand
        self.perform = perform
    }

    func expand(_ input: String, in context: StepContext<Void>) async throws -> Expansion<String> {
        journal.add("\(name)(\(input))")
        return try await expand(input, context)
    }

    func perform(_ item: String, in context: StepContext<Void>) async throws -> [String] {
        journal.add("\(name):\(item)\(context.isRetry ? " again" : "")")
        return try await perform(item, context)
    }

    func listIdentity(of input: String) -> String { input }

    func finished(_ input: String, _ scope: ScopeOutcome, in context: StepContext<Void>) async throws {
        journal.add("\(name)(\(input)) \(scope.subtreeComplete ? "done" : "incomplete")")
        try finished(input, scope)
    }

    func operations(performing item: String, in context: StepContext<Void>) -> [String] { ["GET \(item)"] }
}

struct Trouble: Error, Equatable {
    var what = "trouble"
}
struct FinalTrouble: FinalFailure {}
struct DiskFull: RunFailure {}

/// Scope outcomes by node and input.
final class Scopes: Sendable {
    private let outcomes = Mutex<[String: ScopeOutcome]>([:])
    subscript(key: String) -> ScopeOutcome? { outcomes.withLock { $0[key] } }
    func note(_ key: String, _ outcome: ScopeOutcome) { outcomes.withLock { $0[key] = outcome } }
}

extension ScriptedStep {
    func noting(_ scopes: Scopes) -> ScriptedStep {
        var copy = self
        copy.finished = { [name] input, outcome in scopes.note("\(name)(\(input))", outcome) }
        return copy
    }
}

let bothModes: [RunMode] = [.synchronous, .concurrent]
