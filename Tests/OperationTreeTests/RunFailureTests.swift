import OperationTree
import Synchronization
import Testing

struct RunFailureTests {
    @Test(arguments: bothModes)
    func aFailedItemIsRetriedAfterItsSiblings(mode: RunMode) async {
        let log = CallLog()
        let tree = Tree(
            "r",
            ScriptedStep("r", log, items: ["1", "2", "3"]) { item, context in
                if item == "2" && !context.isRetry { throw TestFailure() }
                return [item]
            }
        ) {
            Node("c", ScriptedStep("c", log, items: [""]))
        }
        let run = Run(tree, input: "", mode: mode)
        let outcome = await run.execute()
        #expect(outcome.isComplete)
        #expect(outcome.failures.isEmpty)
        #expect(log.all.filter { $0 == "c(2)" }.count == 1)
        #expect(run.counts(of: "r")?.done == 3)
        #expect(run.counts(of: "r")?.retried == 1)
        let again = log.all.firstIndex(of: "r:2 again")
        let third = log.all.firstIndex(of: "c:3")
        #expect(again != nil && third != nil && again! > third!)
    }

    @Test(arguments: bothModes)
    func anItemThatFailsTwiceIsReportedOnce(mode: RunMode) async {
        let child = ScriptedStep("c", items: ["1", "2"]) { item, _ in
            if item.hasSuffix("1") { throw TestFailure(item: item) }
            return []
        }
        let scopes = ScopeLog()
        let tree = Tree("r", ScriptedStep("r", items: ["a"]).recordingScopes(scopes)) {
            Node("c", child.recordingScopes(scopes))
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isPartial)
        #expect(outcome.failures.count == 1)
        let failure = outcome.failures.first
        #expect(failure?.node == "c" && failure?.list == "a" && failure?.item == "a1")
        #expect(failure?.kind == .item && failure?.error as? TestFailure == TestFailure(item: "a1"))
        #expect(
            scopes["c(a)"]
                == SubtreeOutcome(listComplete: true, items: 2, failedItems: 1, subtreeComplete: false))
        #expect(
            scopes["r()"]
                == SubtreeOutcome(listComplete: true, items: 1, failedItems: 0, subtreeComplete: false))
        #expect(outcome.isComplete(node: "c", list: "a"))
        #expect(outcome.counts["c"]?.failed == 1 && outcome.counts["c"]?.done == 1)
    }

    @Test func aFinalFailureIsNotRetried() async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: ["a"])) {
            Node("c", ScriptedStep("c", log, items: ["1"]) { _, _ in throw FinalTestFailure() })
        }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(log.all == ["c(a)", "c:a1", "c(a) incomplete"])
        #expect(outcome.isPartial)
    }

    @Test(arguments: bothModes)
    func aRunFailureEndsTheRunAndCancelsWorkInProgress(mode: RunMode) async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", log, items: ["1", "2", "3"])) {
            Node(
                "c",
                ScriptedStep("c", items: [""]) { item, _ in
                    if item == "1" { throw DiskFull() }
                    try await Task.sleep(for: .seconds(3600))
                    return []
                })
        }
        let run = Run(tree, input: "", mode: mode)
        let outcome = await run.execute()
        #expect(outcome.error is DiskFull)
        #expect(outcome.failures.map(\.item) == ["1"])
        #expect(!log.all.contains("r() done"))
        #expect(run.counts(of: "c")?.running == 0)
        #expect(outcome.counts["c"]?.failed == 1)
    }

    @Test(arguments: bothModes)
    func aFailedListIsRequestedAgain(mode: RunMode) async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: ["a", "b"])) {
            Node(
                "c",
                ScriptedStep("c", log) { input, context in
                    if input == "a" && !context.isRetry { throw TestFailure() }
                    return Expansion([input + "1"])
                })
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(outcome.isComplete(node: "c", list: "a") && outcome.isComplete(node: "c", list: "b"))
        #expect(log.all.filter { $0 == "c(a)" }.count == 2)
        #expect(log.all.filter { $0 == "c:a1" }.count == 1)
    }

    @Test(arguments: bothModes)
    func aListThatFailsMidwayDoesNotRepeatItsItems(mode: RunMode) async {
        let log = CallLog()
        let tree = Tree(
            "r",
            ScriptedStep("r", log) { _, context in
                .unfolding(0) { page in
                    page += 1
                    if page == 3 && !context.isRetry { throw TestFailure() }
                    return page <= 4 ? "i\(page)" : nil
                }
            })
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(log.all.filter { $0.hasPrefix("r:") }.sorted() == ["r:i1", "r:i2", "r:i3", "r:i4"])
        #expect(outcome.counts["r"]?.items == 4)
    }

    @Test(arguments: bothModes)
    func aListThatFailsTwiceIsIncompleteAndKeepsItsItems(mode: RunMode) async {
        let scopes = ScopeLog()
        let child = ScriptedStep("c") { _, _ in
            .unfolding(0) { page in
                page += 1
                if page == 3 { throw TestFailure() }
                return "i\(page)"
            }
        }
        let tree = Tree("r", ScriptedStep("r", items: ["a"]).recordingScopes(scopes)) {
            Node("c", child.recordingScopes(scopes))
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isPartial)
        #expect(!outcome.isComplete(node: "c", list: "a"))
        #expect(outcome.isComplete(node: "r"))
        #expect(outcome.incompleteLists.map(\.list) == ["a"])
        #expect(outcome.failures.map(\.kind) == [.list])
        #expect(
            scopes["c(a)"]
                == SubtreeOutcome(listComplete: false, items: 2, failedItems: 0, subtreeComplete: false))
        #expect(scopes["r()"]?.subtreeComplete == false)
    }

    @Test func aListDeclaredIncompleteIsNotRequestedAgain() async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: ["a"])) {
            Node("c", ScriptedStep("c", log) { _, _ in Expansion(["1"], complete: { false }) })
        }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(log.all == ["c(a)", "c:1", "c(a) incomplete"])
        #expect(outcome.isPartial && outcome.failures.isEmpty)
        #expect(
            outcome.incompleteLists == outcome.incompleteLists.filter { $0.node == "c" && $0.list == "a" })
        #expect(outcome.incompleteLists.count == 1)
    }

    @Test func aListThatWasNeverReachedIsNotComplete() async {
        let tree = Tree("r", ScriptedStep("r", items: [])) { Node("c", ScriptedStep("c", items: [])) }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(outcome.isComplete(node: "r"))
        #expect(!outcome.isComplete(node: "c"))
        #expect(!outcome.isComplete(node: "nobody"))
    }

    @Test(arguments: bothModes)
    func aFailedRootFailsTheRun(mode: RunMode) async {
        let list = Tree("r", ScriptedStep("r") { _, _ in throw TestFailure() })
        #expect(await Run(list, input: "", mode: mode).execute().error is TestFailure)
        let item = Tree("r", ScriptedStep("r", items: ["1"]) { _, _ in throw TestFailure() })
        #expect(await Run(item, input: "", mode: mode).execute().error is TestFailure)
    }

    @Test func anErrorThrownByFinishedMakesTheScopeIncomplete() async {
        var child = ScriptedStep("c", items: ["1"])
        child.finished = { _, _ in throw TestFailure() }
        let scopes = ScopeLog()
        let tree = Tree("r", ScriptedStep("r", items: ["a"]).recordingScopes(scopes)) { Node("c", child) }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(outcome.failures.map(\.kind) == [.finishing])
        #expect(scopes["r()"]?.subtreeComplete == false)
        #expect(outcome.isComplete(node: "c", list: "a"))
    }

    @Test func reportsMakeTheOutcomePartialButNotTheScopeIncomplete() async {
        let scopes = ScopeLog()
        let step = ScriptedStep("r", items: ["1"]) { item, context in
            context.report(TestFailure(), item: "album 7")
            if !context.isRetry { throw TestFailure() }
            return []
        }
        let outcome = await Run(Tree("r", step.recordingScopes(scopes)), input: "", mode: .synchronous)
            .execute()
        #expect(outcome.isPartial)
        #expect(outcome.failures.map(\.kind) == [.report])
        #expect(outcome.failures.first?.item == "album 7")
        #expect(scopes["r()"]?.subtreeComplete == true)
    }

    @Test func beyondTheLimitsFailuresAreFinalAndOnlyCounted() async {
        var configuration = RunConfiguration()
        configuration.retryLimit = 2
        configuration.failureLimit = 3
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: [""])) {
            Node(
                "c",
                ScriptedStep("c", log, items: (0..<10).map(String.init)) { _, _ in throw TestFailure() })
        }
        let outcome = await Run(tree, input: "", mode: .synchronous, configuration: configuration).execute()
        #expect(log.all.filter { $0.hasSuffix("again") }.count == 2)
        #expect(outcome.failures.count == 3)
        #expect(outcome.furtherFailures == 7)
        #expect(outcome.counts["c"]?.failed == 10)
    }
}
