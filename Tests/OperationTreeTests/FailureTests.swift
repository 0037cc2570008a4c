import OperationTree
import Synchronization
import Testing

struct FailureTests {
    @Test(arguments: bothModes)
    func failedItemIsTriedOnceMoreAndItsSiblingsGoOn(mode: RunMode) async {
        let journal = Journal()
        let tree = Tree(
            "r",
            ScriptedStep("r", journal, items: ["1", "2", "3"]) { item, context in
                if item == "2" && !context.isRetry { throw Trouble() }
                return [item]
            }
        ) {
            Node("c", ScriptedStep("c", journal, items: [""]))
        }
        let run = Run(tree, input: "", mode: mode)
        let outcome = await run.execute()
        #expect(outcome.isComplete)
        #expect(outcome.failures.isEmpty)
        #expect(journal.all.filter { $0 == "c(2)" }.count == 1)
        #expect(run.counts(of: "r")?.done == 3)
        #expect(run.counts(of: "r")?.retried == 1)
        let again = journal.all.firstIndex(of: "r:2 again")
        let third = journal.all.firstIndex(of: "c:3")
        #expect(again != nil && third != nil && again! > third!)
    }

    @Test(arguments: bothModes)
    func itemThatFailsTwiceIsReportedOnce(mode: RunMode) async {
        let child = ScriptedStep("c", items: ["1", "2"]) { item, _ in
            if item.hasSuffix("1") { throw Trouble(what: item) }
            return []
        }
        let scopes = Scopes()
        let tree = Tree("r", ScriptedStep("r", items: ["a"]).noting(scopes)) {
            Node("c", child.noting(scopes))
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isPartial)
        #expect(outcome.failures.count == 1)
        let failure = outcome.failures.first
        #expect(failure?.node == "c" && failure?.list == "a" && failure?.item == "a1")
        #expect(failure?.kind == .item && failure?.error as? Trouble == Trouble(what: "a1"))
        #expect(
            scopes["c(a)"]
                == ScopeOutcome(listComplete: true, items: 2, failedItems: 1, subtreeComplete: false))
        #expect(
            scopes["r()"]
                == ScopeOutcome(listComplete: true, items: 1, failedItems: 0, subtreeComplete: false))
        #expect(outcome.isComplete(node: "c", list: "a"))
        #expect(outcome.counts["c"]?.failed == 1 && outcome.counts["c"]?.done == 1)
    }

    @Test func finalFailureIsNotTriedAgain() async {
        let journal = Journal()
        let tree = Tree("r", ScriptedStep("r", items: ["a"])) {
            Node("c", ScriptedStep("c", journal, items: ["1"]) { _, _ in throw FinalTrouble() })
        }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(journal.all == ["c(a)", "c:a1", "c(a) incomplete"])
        #expect(outcome.isPartial)
    }

    @Test(arguments: bothModes)
    func runFailureEndsTheRunAndCancelsWhatIsAtWork(mode: RunMode) async {
        let journal = Journal()
        let tree = Tree("r", ScriptedStep("r", journal, items: ["1", "2", "3"])) {
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
        #expect(!journal.all.contains("r() done"))
        #expect(run.counts(of: "c")?.running == 0)
        #expect(outcome.counts["c"]?.failed == 1)
    }

    @Test(arguments: bothModes)
    func failedListIsAskedForOnceMore(mode: RunMode) async {
        let journal = Journal()
        let tree = Tree("r", ScriptedStep("r", items: ["a", "b"])) {
            Node(
                "c",
                ScriptedStep("c", journal) { input, context in
                    if input == "a" && !context.isRetry { throw Trouble() }
                    return Expansion([input + "1"])
                })
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(outcome.isComplete(node: "c", list: "a") && outcome.isComplete(node: "c", list: "b"))
        #expect(journal.all.filter { $0 == "c(a)" }.count == 2)
        #expect(journal.all.filter { $0 == "c:a1" }.count == 1)
    }

    @Test(arguments: bothModes)
    func listThatFailsMidwayDoesNotRepeatWhatItGave(mode: RunMode) async {
        let journal = Journal()
        let tree = Tree(
            "r",
            ScriptedStep("r", journal) { _, context in
                .unfolding(0) { page in
                    page += 1
                    if page == 3 && !context.isRetry { throw Trouble() }
                    return page <= 4 ? "i\(page)" : nil
                }
            })
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isComplete)
        #expect(journal.all.filter { $0.hasPrefix("r:") }.sorted() == ["r:i1", "r:i2", "r:i3", "r:i4"])
        #expect(outcome.counts["r"]?.items == 4)
    }

    @Test(arguments: bothModes)
    func listThatFailsForGoodIsIncompleteAndItsItemsStay(mode: RunMode) async {
        let scopes = Scopes()
        let child = ScriptedStep("c") { _, _ in
            .unfolding(0) { page in
                page += 1
                if page == 3 { throw Trouble() }
                return "i\(page)"
            }
        }
        let tree = Tree("r", ScriptedStep("r", items: ["a"]).noting(scopes)) {
            Node("c", child.noting(scopes))
        }
        let outcome = await Run(tree, input: "", mode: mode).execute()
        #expect(outcome.isPartial)
        #expect(!outcome.isComplete(node: "c", list: "a"))
        #expect(outcome.isComplete(node: "r"))
        #expect(outcome.incompleteLists.map(\.list) == ["a"])
        #expect(outcome.failures.map(\.kind) == [.list])
        #expect(
            scopes["c(a)"]
                == ScopeOutcome(listComplete: false, items: 2, failedItems: 0, subtreeComplete: false))
        #expect(scopes["r()"]?.subtreeComplete == false)
    }

    @Test func listThatSaysItIsIncompleteIsNotAskedForAgain() async {
        let journal = Journal()
        let tree = Tree("r", ScriptedStep("r", items: ["a"])) {
            Node("c", ScriptedStep("c", journal) { _, _ in Expansion(["1"], complete: { false }) })
        }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(journal.all == ["c(a)", "c:1", "c(a) incomplete"])
        #expect(outcome.isPartial && outcome.failures.isEmpty)
        #expect(
            outcome.incompleteLists == outcome.incompleteLists.filter { $0.node == "c" && $0.list == "a" })
        #expect(outcome.incompleteLists.count == 1)
    }

    @Test func listThatWasNeverReachedIsNotComplete() async {
        let tree = Tree("r", ScriptedStep("r", items: [])) { Node("c", ScriptedStep("c", items: [])) }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(outcome.isComplete(node: "r"))
        #expect(!outcome.isComplete(node: "c"))
        #expect(!outcome.isComplete(node: "nobody"))
    }

    @Test(arguments: bothModes)
    func failedRootFailsTheRun(mode: RunMode) async {
        let list = Tree("r", ScriptedStep("r") { _, _ in throw Trouble() })
        #expect(await Run(list, input: "", mode: mode).execute().error is Trouble)
        let item = Tree("r", ScriptedStep("r", items: ["1"]) { _, _ in throw Trouble() })
        #expect(await Run(item, input: "", mode: mode).execute().error is Trouble)
    }

    @Test func failureOfFinishedIsOneOfTheScope() async {
        var child = ScriptedStep("c", items: ["1"])
        child.finished = { _, _ in throw Trouble() }
        let scopes = Scopes()
        let tree = Tree("r", ScriptedStep("r", items: ["a"]).noting(scopes)) { Node("c", child) }
        let outcome = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(outcome.failures.map(\.kind) == [.finishing])
        #expect(scopes["r()"]?.subtreeComplete == false)
        #expect(outcome.isComplete(node: "c", list: "a"))
    }

    @Test func reportsMakeTheOutcomePartialAndLeaveScopesAsTheyAre() async {
        let scopes = Scopes()
        let step = ScriptedStep("r", items: ["1"]) { item, context in
            context.report(Trouble(), item: "album 7")
            if !context.isRetry { throw Trouble() }
            return []
        }
        let outcome = await Run(Tree("r", step.noting(scopes)), input: "", mode: .synchronous).execute()
        #expect(outcome.isPartial)
        #expect(outcome.failures.map(\.kind) == [.report])
        #expect(outcome.failures.first?.item == "album 7")
        #expect(scopes["r()"]?.subtreeComplete == true)
    }

    @Test func beyondTheLimitsFailuresAreFinalAndCounted() async {
        var configuration = RunConfiguration()
        configuration.retryLimit = 2
        configuration.failureLimit = 3
        let journal = Journal()
        let tree = Tree("r", ScriptedStep("r", items: [""])) {
            Node(
                "c",
                ScriptedStep("c", journal, items: (0..<10).map(String.init)) { _, _ in throw Trouble() })
        }
        let outcome = await Run(tree, input: "", mode: .synchronous, configuration: configuration).execute()
        #expect(journal.all.filter { $0.hasSuffix("again") }.count == 2)
        #expect(outcome.failures.count == 3)
        #expect(outcome.furtherFailures == 7)
        #expect(outcome.counts["c"]?.failed == 10)
    }
}
