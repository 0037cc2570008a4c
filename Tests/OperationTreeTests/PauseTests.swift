import OperationTree
import Synchronization
import Testing

/// Runs that are held up and go on.
@Suite(.timeLimit(.minutes(5))) struct PauseTests {
    /// Holds the run that a step of it pauses.
    private final class Handle: Sendable {
        private let held = Mutex<Run<String, Void>?>(nil)
        var run: Run<String, Void>? {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    /// A run that pauses itself in its second item, and meets the test there.
    private func run(_ journal: Journal, _ mode: RunMode, _ paused: Meeting) -> Run<String, Void> {
        let handle = Handle()
        let tree = Tree(
            "r",
            ScriptedStep("r", journal, items: ["1", "2", "3"]) { item, _ in
                if item == "2" {
                    handle.run?.pause()
                    await paused.arrive()
                }
                return [item]
            }
        ) {
            Node("c", ScriptedStep("c", journal, items: [""]))
        }
        let run = Run(
            tree, input: "", mode: mode, configuration: RunConfiguration(lanes: [.requests: 1]))
        handle.run = run
        return run
    }

    /// Waits until what was in work has ended.
    private func rest(_ run: Run<String, Void>) async { while !run.isAtRest { await Task.yield() } }

    @Test(arguments: bothModes)
    func whatIsInWorkEndsAndNothingBeginsUntilTheRunIsResumed(mode: RunMode) async {
        let journal = Journal(), paused = Meeting(of: 2)
        let run = run(journal, mode, paused)
        async let outcome = run.execute()
        await paused.arrive()
        await rest(run)
        #expect(run.isPaused)
        #expect(!journal.all.contains("c(2)") && !journal.all.contains("r:3"))
        run.resume()
        #expect(await outcome.isComplete)
        #expect(!run.isPaused)
        #expect(journal.all.filter { ["r:1", "r:2", "r:3", "c:1", "c:2", "c:3"].contains($0) }.count == 6)
    }

    @Test func aPausedSynchronousRunKeepsItsOrder() async {
        let journal = Journal(), whole = Journal(), paused = Meeting(of: 2)
        let run = run(journal, .synchronous, paused)
        async let outcome = run.execute()
        await paused.arrive()
        await rest(run)
        run.resume()
        _ = await outcome
        let tree = Tree("r", ScriptedStep("r", whole, items: ["1", "2", "3"])) {
            Node("c", ScriptedStep("c", whole, items: [""]))
        }
        _ = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(journal.all == whole.all)
    }

    @Test(arguments: bothModes)
    func aPausedRunIsCancelled(mode: RunMode) async {
        let journal = Journal(), paused = Meeting(of: 2)
        let run = run(journal, mode, paused)
        let task = Task { await run.execute() }
        await paused.arrive()
        await rest(run)
        task.cancel()
        #expect(await task.value.isCancelled)
        #expect(!journal.all.contains("r:3"))
    }

    @Test(arguments: bothModes)
    func aRunThatWasPausedBeforeItBeganBeginsWhenItIsResumed(mode: RunMode) async {
        let journal = Journal()
        let run = Run(Tree("r", ScriptedStep("r", journal, items: ["1"])), input: "", mode: mode)
        run.pause()
        run.pause()
        let task = Task { await run.execute() }
        for _ in 0..<10 { await Task.yield() }
        #expect(journal.all.isEmpty)
        run.resume()
        #expect(await task.value.isComplete)
        run.pause()
        #expect(journal.all.contains("r:1"))
    }

    @Test(arguments: bothModes)
    func secondTriesWaitForTheRunToBeResumed(mode: RunMode) async {
        let handle = Handle(), journal = Journal(), failed = Meeting(of: 2)
        let step = ScriptedStep("r", journal, items: ["1"]) { item, context in
            if context.isRetry { return [item] }
            handle.run?.pause()
            await failed.arrive()
            throw Trouble()
        }
        let run = Run(Tree("r", step), input: "", mode: mode)
        handle.run = run
        async let outcome = run.execute()
        await failed.arrive()
        await rest(run)
        #expect(!journal.all.contains("r:1 again"))
        run.resume()
        #expect(await outcome.isComplete)
        #expect(journal.all.contains("r:1 again"))
    }

    /// Its item has failed, and its list's end comes when it is paused already: nothing is left but the second try.
    @Test(arguments: bothModes)
    func aRunWithNothingLeftButSecondTriesGoesOnWhenItIsResumed(mode: RunMode) async {
        let handle = Handle(), journal = Journal()
        let step = ScriptedStep("r", journal) { item, context in
            if context.isRetry { return [item] }
            throw Trouble()
        } expand: { _, _ in
            Expansion.unfolding(["1"]) { items in
                if items.isEmpty { handle.run?.pause() }
                return items.popLast()
            }
        }
        let run = Run(
            Tree("r", step), input: "", mode: mode, configuration: RunConfiguration(lanes: [.requests: 1]))
        handle.run = run
        async let outcome = run.execute()
        await rest(run)
        #expect(!journal.all.contains("r:1 again"))
        run.resume()
        #expect(await outcome.isComplete)
        #expect(journal.all.contains("r:1 again"))
    }

    @Test(arguments: bothModes)
    func aRunIsAtRestOnlyWhileItIsPausedAndNothingOfItIsInWork(mode: RunMode) async {
        let journal = Journal(), paused = Meeting(of: 2), run = run(journal, mode, paused)
        run.pause()
        #expect(!run.isAtRest)
        async let outcome = run.execute()
        await rest(run)
        #expect(journal.all.isEmpty)
        run.resume()
        #expect(!run.isAtRest)
        await paused.arrive()
        await rest(run)
        #expect(run.counts(of: "r")?.done == 2)
        run.resume()
        #expect(await outcome.isComplete)
        run.pause()
        #expect(!run.isPaused && !run.isAtRest)
    }

    @Test func aTreeWithoutANodeIsTheSameOtherwise() throws {
        let shared = Node("s", ScriptedStep("s", items: []))
        let tree = Tree("r", ScriptedStep("r", items: [])) {
            Node("a", ScriptedStep("a", items: [])) { shared }
            Node("b", ScriptedStep("b", items: [])) {
                shared
                Node("c", ScriptedStep("c", items: []))
            }
        }
        let less = tree.leavingOut(["c"])
        #expect(less.nodes.map(\.name) == ["r", "a", "s", "b"])
        #expect(less.node(named: "s")?.isShared == true)
        #expect(tree.leavingOut(["a"]).nodes.map(\.name) == ["r", "b", "s", "c"])
        #expect(tree.names(under: "b") == ["s", "c"])
        let taken = try #require(tree.node("b", taking: String.self))
        #expect(tree.node("b", taking: Int.self).map(\.name) == nil)
        let other = Tree("o", ScriptedStep("o", items: [])) { taken }
        #expect(other.nodes.map(\.name) == ["o", "b", "s", "c"])
    }
}
