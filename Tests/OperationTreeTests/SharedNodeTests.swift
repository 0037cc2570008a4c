import OperationTree
import Synchronization
import Testing

struct SharedNodeTests {
    @Test(arguments: bothModes)
    func itemOfASharedNodeIsPerformedOnce(mode: RunMode) async {
        let journal = Journal()
        let shared = Node("x", ScriptedStep("x", journal) { _, _ in Expansion(["p", "q"]) })
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2", "3"])) {
            Node("a", ScriptedStep("a", items: [""])) { shared }
            Node("b", ScriptedStep("b", items: [""])) { shared }
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(journal.all.filter { $0.hasPrefix("x:") }.sorted() == ["x:p", "x:q"])
        #expect(outcome.counts["x"]?.items == 12)
        #expect(outcome.counts["x"]?.repeated == 10)
        #expect(outcome.counts["x"]?.done == 2)
    }

    @Test func itemsOfAnUnsharedNodeAreNotRemembered() async {
        let journal = Journal()
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2"])) {
            Node("x", ScriptedStep("x", journal) { _, _ in Expansion(["p"]) })
        }
        _ = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(journal.all.filter { $0 == "x:p" }.count == 2)
    }

    @Test(arguments: bothModes)
    func everyScopeThatReachesAFailingItemIsIncomplete(mode: RunMode) async {
        let scopes = Scopes()
        let x = ScriptedStep("x", perform: { _, _ in throw Trouble() }) { _, _ in Expansion(["p"]) }
        let shared = Node("x", x)
        let tree = Tree("r", ScriptedStep("r", items: [""])) {
            Node("a", ScriptedStep("a", items: [""]).noting(scopes)) { shared }
            Node("b", ScriptedStep("b", items: [""]).noting(scopes)) { shared }
            Node("c", ScriptedStep("c", items: [""]).noting(scopes))
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(scopes["a()"]?.subtreeComplete == false)
        #expect(scopes["b()"]?.subtreeComplete == false)
        #expect(scopes["c()"]?.subtreeComplete == true)
        #expect(outcome.failures.count == 1)
        #expect(outcome.counts["x"]?.failed == 1)
    }

    @Test(arguments: bothModes)
    func whatFailsUnderASharedItemReachesAllItsParents(mode: RunMode) async {
        let scopes = Scopes()
        let below = Node("y", ScriptedStep("y", items: ["1"]) { _, _ in throw FinalTrouble() })
        let shared = Node("x", ScriptedStep("x") { _, _ in Expansion(["p"]) }.noting(scopes)) { below }
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2"])) {
            Node("a", ScriptedStep("a", items: [""]).noting(scopes)) { shared }
            Node("b", ScriptedStep("b", items: [""]).noting(scopes)) { shared }
        }
        _ = await Run(tree, input: "", mode: mode).execute()
        for scope in ["a(1)", "a(2)", "b(1)", "b(2)"] { #expect(scopes[scope]?.subtreeComplete == false) }
        #expect(scopes["x(1)"]?.failedItems == 0)
    }

    @Test(arguments: bothModes)
    func sharedItemThatRecoversLeavesAllItsParentsComplete(mode: RunMode) async {
        let scopes = Scopes()
        let x = ScriptedStep("x", perform: failingOnce) { _, _ in Expansion(["p"]) }
        let shared = Node("x", x)
        let tree = Tree("r", ScriptedStep("r", items: [""]).noting(scopes)) {
            Node("a", ScriptedStep("a", items: ["1", "2"])) { shared }
            Node("b", ScriptedStep("b", items: [""])) { shared }
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(scopes["r()"]?.subtreeComplete == true)
    }

    @Test func waitingForWhatIsParkedIsBounded() async {
        var configuration = RunConfiguration()
        configuration.retryLimit = 1
        let scopes = Scopes()
        let x = ScriptedStep("x", perform: failingOnce) { _, _ in Expansion(["p"]) }
        let shared = Node("x", x.noting(scopes))
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2", "3"])) {
            Node("a", ScriptedStep("a", items: [""])) { shared }
            Node("b", ScriptedStep("b", items: [])) { shared }
        }
        let run = Run(tree, input: "", mode: .synchronous, configuration: configuration)
        #expect(await run.execute().isComplete)
        // The one that failed, and one that waits; the third is taken for incomplete, which loses nothing.
        #expect(scopes["x(1)"]?.subtreeComplete == true)
        #expect(scopes["x(2)"]?.subtreeComplete == true)
        #expect(scopes["x(3)"]?.subtreeComplete == false)
    }
}

@Sendable private func failingOnce(_ item: String, _ context: StepContext<Void>) throws -> [String] {
    if !context.isRetry { throw Trouble() }
    return []
}
