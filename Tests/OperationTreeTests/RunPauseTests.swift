import OperationTree
import Synchronization
import Testing

/// Pausing and resuming runs.
@Suite(.timeLimit(.minutes(5))) struct RunPauseTests {
    /// Gives a step access to its own run.
    private final class RunReference: Sendable {
        private let held = Mutex<Run<String, Void>?>(nil)
        var run: Run<String, Void>? {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    /// A run that pauses itself while it performs its second item, and waits for the test there.
    private func run(_ log: CallLog, _ mode: RunMode, _ paused: Rendezvous) -> Run<String, Void> {
        let reference = RunReference()
        let tree = Tree(
            "r",
            ScriptedStep("r", log, items: ["1", "2", "3"]) { item, _ in
                if item == "2" {
                    reference.run?.pause()
                    await paused.arrive()
                }
                return [item]
            }
        ) {
            Node("c", ScriptedStep("c", log, items: [""]))
        }
        let run = Run(
            tree, input: "", mode: mode, configuration: RunConfiguration(lanes: [.requests: 1]))
        reference.run = run
        return run
    }

    /// Waits until what was in work has ended.
    private func rest(_ run: Run<String, Void>) async { while !run.isAtRest { await Task.yield() } }

    @Test(arguments: bothModes)
    func pausingLetsWorkInProgressEndAndStartsNoneUntilTheRunIsResumed(mode: RunMode) async {
        let log = CallLog(), paused = Rendezvous(of: 2)
        let run = run(log, mode, paused)
        async let outcome = run.execute()
        await paused.arrive()
        await rest(run)
        #expect(run.isPaused)
        #expect(!log.all.contains("c(2)") && !log.all.contains("r:3"))
        run.resume()
        #expect(await outcome.isComplete)
        #expect(!run.isPaused)
        #expect(log.all.filter { ["r:1", "r:2", "r:3", "c:1", "c:2", "c:3"].contains($0) }.count == 6)
    }

    @Test func aSynchronousRunKeepsItsOrderWhenPausedAndResumed() async {
        let log = CallLog(), complete = CallLog(), paused = Rendezvous(of: 2)
        let run = run(log, .synchronous, paused)
        async let outcome = run.execute()
        await paused.arrive()
        await rest(run)
        run.resume()
        _ = await outcome
        let tree = Tree("r", ScriptedStep("r", complete, items: ["1", "2", "3"])) {
            Node("c", ScriptedStep("c", complete, items: [""]))
        }
        _ = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(log.all == complete.all)
    }

    @Test(arguments: bothModes)
    func aPausedRunCanBeCancelled(mode: RunMode) async {
        let log = CallLog(), paused = Rendezvous(of: 2)
        let run = run(log, mode, paused)
        let task = Task { await run.execute() }
        await paused.arrive()
        await rest(run)
        task.cancel()
        #expect(await task.value.isCancelled)
        #expect(!log.all.contains("r:3"))
    }

    @Test(arguments: bothModes)
    func aRunPausedBeforeItBeginsStartsWhenResumed(mode: RunMode) async {
        let log = CallLog()
        let run = Run(Tree("r", ScriptedStep("r", log, items: ["1"])), input: "", mode: mode)
        run.pause()
        run.pause()
        let task = Task { await run.execute() }
        for _ in 0..<10 { await Task.yield() }
        #expect(log.all.isEmpty)
        run.resume()
        #expect(await task.value.isComplete)
        run.pause()
        #expect(log.all.contains("r:1"))
    }

    @Test(arguments: bothModes)
    func secondTriesWaitUntilAPausedRunIsResumed(mode: RunMode) async {
        let reference = RunReference(), log = CallLog(), failed = Rendezvous(of: 2)
        let step = ScriptedStep("r", log, items: ["1"]) { item, context in
            if context.isRetry { return [item] }
            reference.run?.pause()
            await failed.arrive()
            throw TestFailure()
        }
        let run = Run(Tree("r", step), input: "", mode: mode)
        reference.run = run
        async let outcome = run.execute()
        await failed.arrive()
        await rest(run)
        #expect(!log.all.contains("r:1 again"))
        run.resume()
        #expect(await outcome.isComplete)
        #expect(log.all.contains("r:1 again"))
    }

    /// The run is paused after its item has failed, while the end of its list is being read. Only the second try is left.
    @Test(arguments: bothModes)
    func aPausedRunWithOnlySecondTriesLeftContinuesWhenResumed(mode: RunMode) async {
        let reference = RunReference(), log = CallLog()
        let step = ScriptedStep("r", log) { item, context in
            if context.isRetry { return [item] }
            throw TestFailure()
        } expand: { _, _ in
            Expansion.unfolding(["1"]) { items in
                if items.isEmpty { reference.run?.pause() }
                return items.popLast()
            }
        }
        let run = Run(
            Tree("r", step), input: "", mode: mode, configuration: RunConfiguration(lanes: [.requests: 1]))
        reference.run = run
        async let outcome = run.execute()
        await rest(run)
        #expect(!log.all.contains("r:1 again"))
        run.resume()
        #expect(await outcome.isComplete)
        #expect(log.all.contains("r:1 again"))
    }

    @Test(arguments: bothModes)
    func aRunIsIdleOnlyWhilePausedWithoutWorkInProgress(mode: RunMode) async {
        let log = CallLog(), paused = Rendezvous(of: 2), run = run(log, mode, paused)
        run.pause()
        #expect(!run.isAtRest)
        async let outcome = run.execute()
        await rest(run)
        #expect(log.all.isEmpty)
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

    @Test func leavingOutANodeKeepsTheRestOfTheTree() throws {
        let shared = Node("s", ScriptedStep("s", items: []))
        let tree = Tree("r", ScriptedStep("r", items: [])) {
            Node("a", ScriptedStep("a", items: [])) { shared }
            Node("b", ScriptedStep("b", items: [])) {
                shared
                Node("c", ScriptedStep("c", items: []))
            }
        }
        let smaller = tree.leavingOut(["c"])
        #expect(smaller.nodes.map(\.name) == ["r", "a", "s", "b"])
        #expect(smaller.node(named: "s")?.isShared == true)
        #expect(tree.leavingOut(["a"]).nodes.map(\.name) == ["r", "b", "s", "c"])
        #expect(tree.names(under: "b") == ["s", "c"])
        let taken = try #require(tree.node("b", taking: String.self))
        #expect(tree.node("b", taking: Int.self).map(\.name) == nil)
        let other = Tree("o", ScriptedStep("o", items: [])) { taken }
        #expect(other.nodes.map(\.name) == ["o", "b", "s", "c"])
    }
}
