import OperationTree
import Synchronization
import Testing

struct SharedNodeTests {
    @Test(arguments: bothModes)
    func anItemOfASharedNodeIsPerformedOnce(mode: RunMode) async {
        let log = CallLog()
        let shared = Node("x", ScriptedStep("x", log) { _, _ in Expansion(["p", "q"]) })
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2", "3"])) {
            Node("a", ScriptedStep("a", items: [""])) { shared }
            Node("b", ScriptedStep("b", items: [""])) { shared }
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(log.all.filter { $0.hasPrefix("x:") }.sorted() == ["x:p", "x:q"])
        #expect(outcome.counts["x"]?.items == 12)
        #expect(outcome.counts["x"]?.repeated == 10)
        #expect(outcome.counts["x"]?.done == 2)
    }

    @Test func equalItemsOfAnUnsharedNodeAreEachPerformed() async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2"])) {
            Node("x", ScriptedStep("x", log) { _, _ in Expansion(["p"]) })
        }
        _ = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(log.all.filter { $0 == "x:p" }.count == 2)
    }

    @Test(arguments: bothModes)
    func everyScopeThatReachesAFailedSharedItemIsIncomplete(mode: RunMode) async {
        let scopes = ScopeLog()
        let x = ScriptedStep("x", perform: { _, _ in throw TestFailure() }) { _, _ in Expansion(["p"]) }
        let shared = Node("x", x)
        let tree = Tree("r", ScriptedStep("r", items: [""])) {
            Node("a", ScriptedStep("a", items: [""]).recordingScopes(scopes)) { shared }
            Node("b", ScriptedStep("b", items: [""]).recordingScopes(scopes)) { shared }
            Node("c", ScriptedStep("c", items: [""]).recordingScopes(scopes))
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(scopes["a()"]?.subtreeComplete == false)
        #expect(scopes["b()"]?.subtreeComplete == false)
        #expect(scopes["c()"]?.subtreeComplete == true)
        #expect(outcome.failures.count == 1)
        #expect(outcome.counts["x"]?.failed == 1)
    }

    @Test(arguments: bothModes)
    func aFailureUnderASharedItemMakesAllItsParentsIncomplete(mode: RunMode) async {
        let scopes = ScopeLog()
        let below = Node("y", ScriptedStep("y", items: ["1"]) { _, _ in throw FinalTestFailure() })
        let shared = Node("x", ScriptedStep("x") { _, _ in Expansion(["p"]) }.recordingScopes(scopes)) {
            below
        }
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2"])) {
            Node("a", ScriptedStep("a", items: [""]).recordingScopes(scopes)) { shared }
            Node("b", ScriptedStep("b", items: [""]).recordingScopes(scopes)) { shared }
        }
        _ = await Run(tree, input: "", mode: mode).execute()
        for scope in ["a(1)", "a(2)", "b(1)", "b(2)"] { #expect(scopes[scope]?.subtreeComplete == false) }
        #expect(scopes["x(1)"]?.failedItems == 0)
    }

    @Test(arguments: bothModes)
    func aSharedItemThatSucceedsAtItsSecondTryLeavesAllItsParentsComplete(mode: RunMode) async {
        let scopes = ScopeLog()
        let x = ScriptedStep("x", perform: failOnFirstTry) { _, _ in Expansion(["p"]) }
        let shared = Node("x", x)
        let tree = Tree("r", ScriptedStep("r", items: [""]).recordingScopes(scopes)) {
            Node("a", ScriptedStep("a", items: ["1", "2"])) { shared }
            Node("b", ScriptedStep("b", items: [""])) { shared }
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(scopes["r()"]?.subtreeComplete == true)
    }

    @Test func theNumberOfScopesThatWaitForParkedSharedItemsIsLimited() async {
        var configuration = RunConfiguration()
        configuration.retryLimit = 1
        let scopes = ScopeLog()
        let x = ScriptedStep("x", perform: failOnFirstTry) { _, _ in Expansion(["p"]) }
        let shared = Node("x", x.recordingScopes(scopes))
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2", "3"])) {
            Node("a", ScriptedStep("a", items: [""])) { shared }
            Node("b", ScriptedStep("b", items: [])) { shared }
        }
        let run = Run(tree, input: "", mode: .synchronous, configuration: configuration)
        #expect(await run.execute().isComplete)
        // The first scope's item failed, and the second scope waits for it. The third counts as incomplete without
        // waiting, which is safe.
        #expect(scopes["x(1)"]?.subtreeComplete == true)
        #expect(scopes["x(2)"]?.subtreeComplete == true)
        #expect(scopes["x(3)"]?.subtreeComplete == false)
    }
}

@Sendable private func failOnFirstTry(_ item: String, _ context: StepContext<Void>) throws -> [String] {
    if !context.isRetry { throw TestFailure() }
    return []
}
