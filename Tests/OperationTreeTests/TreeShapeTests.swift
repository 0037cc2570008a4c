import OperationTree
import Testing

/// Trees that are very deep or very wide, and the lifetime of runs.
struct TreeShapeTests {
    @Test(arguments: bothModes)
    func aTreeOf300LevelsRunsToItsLeaf(mode: RunMode) async {
        var node = Node("n300", ScriptedStep("n300", items: [""]))
        for depth in (1..<300).reversed() {
            let child = node
            node = Node("n\(depth)", ScriptedStep("n\(depth)", items: [""])) { child }
        }
        let top = node
        let outcome = await Run(Tree("r", ScriptedStep("r", items: ["1"])) { top }, input: "", mode: mode)
            .execute()
        #expect(outcome.isComplete)
        #expect(outcome.counts["n300"]?.done == 1)
    }

    @Test(arguments: bothModes)
    func aTreeWith200ChildrenRunsEveryChild(mode: RunMode) async {
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2"])) {
            for index in 0..<200 { Node("n\(index)", ScriptedStep("n\(index)", items: ["a"])) }
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(outcome.counts.values.filter { $0.done == 2 }.count == 201)
    }

    @Test(arguments: bothModes)
    func nestedDiamondsPerformTheSharedItemOnce(mode: RunMode) async {
        let log = CallLog()
        var node = Node("end", ScriptedStep("end", log) { _, _ in .one("e") })
        for depth in 0..<8 {
            let below = node
            let left = Node("l\(depth)", ScriptedStep("l", items: [""])) { below }
            let right = Node("r\(depth)", ScriptedStep("r", items: [""])) { below }
            node = Node("d\(depth)", ScriptedStep("d") { _, _ in .one("d\(depth)") }) {
                left
                right
            }
        }
        let top = node
        let outcome = await Run(Tree("r", ScriptedStep("r", items: [""])) { top }, input: "", mode: mode)
            .execute()
        #expect(outcome.isComplete)
        #expect(log.all.filter { $0 == "end:e" }.count == 1)
    }

    @Test(arguments: bothModes)
    func aTreeOfEmptyListsIsComplete(mode: RunMode) async {
        let tree = Tree("r", ScriptedStep("r", items: [])) { Node("c", ScriptedStep("c", items: [])) }
        #expect(await Run(tree, input: "", mode: mode).execute().isComplete)
    }

    /// Has no list of its own.
    private struct NumberStep: Step {
        func identity(of number: Int) -> String { "\(number)" }
        func perform(_ number: Int, in context: StepContext<Void>) async throws -> [Never] { [] }
    }

    @Test(arguments: bothModes)
    func aStepWithoutExpandPerformsItsInput(mode: RunMode) async {
        let tree = Tree<[Int], Void>("numbers") { Node("number", NumberStep()) }
        let outcome = await Run(tree, input: [1, 2], mode: mode).execute()
        #expect(outcome.isComplete && outcome.counts["number"]?.done == 2)
        #expect(outcome.counts["number"]?.lists == 2)
    }

    @Test func aRunIsReleasedAfterARunFailure() async {
        weak var released: Run<String, Void>?
        do {
            let tree = Tree("r", ScriptedStep("r", items: ["1"]) { _, _ in throw DiskFull() }) {
                Node("c", ScriptedStep("c", items: ["1"]))
            }
            let run = Run(tree, input: "")
            released = run
            #expect(await run.execute().error is DiskFull)
        }
        #expect(released == nil)
    }

    @Test func executingARunTwiceStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let run = Run(Tree("r", ScriptedStep("r", items: [])), input: "", mode: .synchronous)
            _ = await run.execute()
            _ = await run.execute()
        }
    }
}
