import OperationTree
import Synchronization
import Testing

/// Environments, sub-trees as functions, and trees without a step at the root.
struct StepEnvironmentTests {
    @Test(arguments: bothModes)
    func everyCallOfAStepReceivesTheEnvironmentOfItsRun(mode: RunMode) async {
        let shared = Node("shared", RecordingStep("shared"))
        let tree = Tree("root", RecordingStep("root")) {
            Node("left", RecordingStep("left")) { shared }
            Node("right", RecordingStep("right")) { shared }
        }
        let environment = RecordingEnvironment(), other = RecordingEnvironment()
        #expect(await Run(tree, input: "book", environment: environment, mode: mode).execute().isComplete)
        #expect(await Run(tree, input: "page", environment: other, mode: mode).execute().isComplete)
        let expected = ["root", "left", "right", "shared", "shared"].flatMap { node in
            ["expand", "finish"].map { "\($0) \(node)" }
        }
        let performed = ["root", "left", "right", "shared"].map { "perform \($0)" }
        #expect(environment.calls.sorted() == (expected + performed).map { "\($0) book" }.sorted())
        #expect(other.calls.sorted() == (expected + performed).map { "\($0) page" }.sorted())
    }

    @Test func aStepThatNeedsNoEnvironmentFitsIntoEveryTree() async {
        let environment = RecordingEnvironment()
        let tree = Tree("root", RecordingStep("root")) {
            Node("pass", PassThroughStep()) { Node("end", RecordingStep("end")) }
        }
        #expect(
            await Run(tree, input: "a", environment: environment, mode: .synchronous).execute().isComplete)
        #expect(environment.calls.contains("perform end a"))
        let bare = Tree("root", ScriptedStep("root", items: ["1"])) { Node("pass", PassThroughStep()) }
        #expect(await Run(bare, input: "", mode: .synchronous).execute().counts["pass"]?.done == 1)
    }

    @Test func aStepReturnsTheOperationsItWouldSend() {
        let context = StepContext(
            node: "root", environment: RecordingEnvironment(address: "https://museum.example"))
        #expect(
            RecordingStep("root").operations(performing: "7", in: context) == ["GET https://museum.example/7"]
        )
    }

    @Test func aNodeReturnsTheOperationsItWouldSendForAnInput() {
        let tree = Tree("root", RecordingStep("root")) {
            Node("pass", PassThroughStep()) { Node("end", RecordingStep("end")) }
        }
        let environment = RecordingEnvironment(address: "https://museum.example")
        func operations(_ name: String) -> [String]? {
            tree.node(name, taking: String.self)?.operations(for: "7", in: environment).map { "\($0)" }
        }
        #expect(operations("end") == ["GET https://museum.example/7"])
        #expect(operations("pass") == [])
        #expect(tree.node("end", taking: Int.self) == nil)
        #expect(environment.calls == [])
    }

    @Test(arguments: bothModes)
    func eachElementOfAListInputIsPassedToEveryNodeUnderTheRoot(mode: RunMode) async {
        let tree: Tree<[String], RecordingEnvironment> = Tree("given") {
            Node("a", RecordingStep("a"))
            Node("b", RecordingStep("b")) { Node("c", PassThroughStep()) }
        }
        let environment = RecordingEnvironment()
        let run = Run(tree, input: ["1", "2"], environment: environment, mode: mode)
        let outcome = await run.execute()
        #expect(outcome.isComplete)
        #expect(tree.nodes.map(\.name) == ["given", "a", "b", "c"])
        #expect(outcome.counts["given"]?.done == 2)
        #expect(outcome.counts["c"]?.done == 2)
        #expect(
            environment.calls.filter { $0.hasPrefix("perform a") }.sorted() == [
                "perform a 1", "perform a 2",
            ])
    }

    @Test func treesShareSubTreesThroughFunctions() {
        let files = Node("file", RecordingStep("file"))
        let complete = Tree("whole", RecordingStep("root")) {
            Node("user", RecordingStep("user"))
            shows(files)
            people(files)
        }
        let part: Tree<[String], RecordingEnvironment> = Tree("part") { people(files) }
        #expect(
            complete.nodes.map(\.name) == ["whole", "user", "show", "file", "artist", "location"])
        #expect(complete.node(named: "file")?.parents == ["show", "artist"])
        #expect(part.nodes.map(\.name) == ["part", "artist", "file", "location"])
    }

    private func shows(_ files: Node<String, RecordingEnvironment>) -> Node<String, RecordingEnvironment> {
        Node("show", RecordingStep("show")) { files }
    }

    @Edges<String, RecordingEnvironment>
    private func people(_ files: Node<String, RecordingEnvironment>) -> [Node<String, RecordingEnvironment>] {
        Node("artist", RecordingStep("artist")) { files }
        Node("location", RecordingStep("location"))
    }
}

/// The environment of the steps of these tests, which records their calls.
private final class RecordingEnvironment: Sendable {
    let address: String
    private let entries = Mutex<[String]>([])

    init(address: String = "") { self.address = address }

    var calls: [String] { entries.withLock { $0 } }
    func record(_ entry: String) { entries.withLock { $0.append(entry) } }
}

/// Outputs its input, and records every call in the environment.
private struct RecordingStep: Step {
    let name: String

    init(_ name: String) { self.name = name }

    func expand(_ input: String, in context: StepContext<RecordingEnvironment>) async throws -> Expansion<
        String
    > {
        context.environment.record("expand \(name) \(input)")
        return .one(input)
    }

    func perform(_ item: String, in context: StepContext<RecordingEnvironment>) async throws -> [String] {
        context.environment.record("perform \(name) \(item)")
        return [item]
    }

    func finished(_ input: String, _ scope: SubtreeOutcome, in context: StepContext<RecordingEnvironment>)
        async throws
    {
        context.environment.record("finish \(name) \(input)")
    }

    func operations(performing item: String, in context: StepContext<RecordingEnvironment>) -> [String] {
        ["GET \(context.environment.address)/\(item)"]
    }
}

/// Outputs its input, in a tree of any environment.
private struct PassThroughStep<Environment: Sendable>: Step {
    func expand(_ input: String, in context: StepContext<Environment>) async throws -> Expansion<String> {
        .one(input)
    }

    func perform(_ item: String, in context: StepContext<Environment>) async throws -> [String] { [item] }
}
