import OperationTree
import Synchronization
import Testing

/// What a run works with, handed to its steps; sub-trees as functions; roots that are given.
struct EnvironmentTests {
    @Test(arguments: bothModes)
    func everyCallOfAStepFindsTheEnvironmentOfItsRun(mode: RunMode) async {
        let shared = Node("shared", NoteStep("shared"))
        let tree = Tree("root", NoteStep("root")) {
            Node("left", NoteStep("left")) { shared }
            Node("right", NoteStep("right")) { shared }
        }
        let library = Library(), other = Library()
        #expect(await Run(tree, input: "book", environment: library, mode: mode).execute().isComplete)
        #expect(await Run(tree, input: "page", environment: other, mode: mode).execute().isComplete)
        let expected = ["root", "left", "right", "shared", "shared"].flatMap { node in
            ["expand", "finish"].map { "\($0) \(node)" }
        }
        let performed = ["root", "left", "right", "shared"].map { "perform \($0)" }
        #expect(library.notes.sorted() == (expected + performed).map { "\($0) book" }.sorted())
        #expect(other.notes.sorted() == (expected + performed).map { "\($0) page" }.sorted())
    }

    @Test func aStepThatNeedsNoEnvironmentFitsIntoEveryTree() async {
        let library = Library()
        let tree = Tree("root", NoteStep("root")) {
            Node("pass", PassStep()) { Node("end", NoteStep("end")) }
        }
        #expect(await Run(tree, input: "a", environment: library, mode: .synchronous).execute().isComplete)
        #expect(library.notes.contains("perform end a"))
        let bare = Tree("root", ScriptedStep("root", items: ["1"])) { Node("pass", PassStep()) }
        #expect(await Run(bare, input: "", mode: .synchronous).execute().counts["pass"]?.done == 1)
    }

    @Test func aStepAnswersWhatItWouldSendInAnEnvironment() {
        let context = StepContext(node: "root", environment: Library(address: "https://museum.example"))
        #expect(
            NoteStep("root").operations(performing: "7", in: context) == ["GET https://museum.example/7"])
    }

    @Test func aNodeAnswersWhatItWouldSendForAnInput() {
        let tree = Tree("root", NoteStep("root")) {
            Node("pass", PassStep()) { Node("end", NoteStep("end")) }
        }
        let library = Library(address: "https://museum.example")
        func operations(_ name: String) -> [String]? {
            tree.node(name, taking: String.self)?.operations(for: "7", in: library).map { "\($0)" }
        }
        #expect(operations("end") == ["GET https://museum.example/7"])
        #expect(operations("pass") == [])
        #expect(tree.node("end", taking: Int.self) == nil)
        #expect(library.notes == [])
    }

    @Test(arguments: bothModes)
    func eachElementOfAGivenInputGoesIntoEveryNodeUnderTheRoot(mode: RunMode) async {
        let tree: Tree<[String], Library> = Tree("given") {
            Node("a", NoteStep("a"))
            Node("b", NoteStep("b")) { Node("c", PassStep()) }
        }
        let library = Library()
        let run = Run(tree, input: ["1", "2"], environment: library, mode: mode)
        let outcome = await run.execute()
        #expect(outcome.isComplete)
        #expect(tree.nodes.map(\.name) == ["given", "a", "b", "c"])
        #expect(outcome.counts["given"]?.done == 2)
        #expect(outcome.counts["c"]?.done == 2)
        #expect(
            library.notes.filter { $0.hasPrefix("perform a") }.sorted() == ["perform a 1", "perform a 2"])
    }

    @Test func treesShareSubTreesAsFunctions() {
        let files = Node("file", NoteStep("file"))
        let whole = Tree("whole", NoteStep("root")) {
            Node("user", NoteStep("user"))
            shows(files)
            people(files)
        }
        let part: Tree<[String], Library> = Tree("part") { people(files) }
        #expect(
            whole.nodes.map(\.name) == ["whole", "user", "show", "file", "artist", "location"])
        #expect(whole.node(named: "file")?.parents == ["show", "artist"])
        #expect(part.nodes.map(\.name) == ["part", "artist", "file", "location"])
    }

    private func shows(_ files: Node<String, Library>) -> Node<String, Library> {
        Node("show", NoteStep("show")) { files }
    }

    @Edges<String, Library>
    private func people(_ files: Node<String, Library>) -> [Node<String, Library>] {
        Node("artist", NoteStep("artist")) { files }
        Node("location", NoteStep("location"))
    }
}

/// What the steps of these tests work with.
private final class Library: Sendable {
    let address: String
    private let entries = Mutex<[String]>([])

    init(address: String = "") { self.address = address }

    var notes: [String] { entries.withLock { $0 } }
    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
}

/// Puts its input out again, and notes every call in the library.
private struct NoteStep: Step {
    let name: String

    init(_ name: String) { self.name = name }

    func expand(_ input: String, in context: StepContext<Library>) async throws -> Expansion<String> {
        context.environment.note("expand \(name) \(input)")
        return .one(input)
    }

    func perform(_ item: String, in context: StepContext<Library>) async throws -> [String] {
        context.environment.note("perform \(name) \(item)")
        return [item]
    }

    func finished(_ input: String, _ scope: ScopeOutcome, in context: StepContext<Library>) async throws {
        context.environment.note("finish \(name) \(input)")
    }

    func operations(performing item: String, in context: StepContext<Library>) -> [String] {
        ["GET \(context.environment.address)/\(item)"]
    }
}

/// Puts its input out again, in any tree.
private struct PassStep<Environment: Sendable>: Step {
    func expand(_ input: String, in context: StepContext<Environment>) async throws -> Expansion<String> {
        .one(input)
    }

    func perform(_ item: String, in context: StepContext<Environment>) async throws -> [String] { [item] }
}
